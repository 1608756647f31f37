#include "siliconprof/profile/profile.h"

#include <pybind11/operators.h>

#include <algorithm>
#include <array>

#include "bindings.h"
#include "siliconprof/profile/disturbances.h"

namespace siliconprof::bindings {
namespace {

using TermMap = std::map<std::string, double>;

std::optional<TermMap> terms_by_name(const std::optional<Terms>& terms) {
  if (!terms) return std::nullopt;
  TermMap named;
  for (std::size_t i = 0; i < kTermCount; ++i) named[std::string(term_names()[i])] = (*terms)[i];
  return named;
}

// A cost is given whole or not at all; numbers left out of a given one are 0.
std::optional<Cost> make_cost(const std::array<std::optional<std::int64_t>, 4>& given) {
  const auto is_given = [](const auto& number) { return number.has_value(); };
  if (std::none_of(given.begin(), given.end(), is_given)) return std::nullopt;
  return Cost{given[0].value_or(0), given[1].value_or(0), given[2].value_or(0),
              given[3].value_or(0)};
}

using Count = std::optional<std::int64_t>;

Count flops(const Span& span) { return span.cost ? Count(span.cost->flops()) : std::nullopt; }
Count bytes(const Span& span) { return span.cost ? Count(span.cost->bytes()) : std::nullopt; }

Span make_span(std::string span_name, const std::string& kind, const std::string& phase, int parent,
               int call, double wall_s, const std::optional<Pair>& interval_s,
               std::vector<double> samples_s, const std::optional<TermMap>& terms,
               Count matrix_flops, Count vector_flops, Count bytes_read, Count bytes_written) {
  return {std::move(span_name),
          parse_span_kind(kind),
          parse_phase(phase),
          parent,
          call,
          wall_s,
          to_interval(interval_s),
          std::move(samples_s),
          terms ? std::optional<Terms>(parse_terms(*terms)) : std::nullopt,
          make_cost({matrix_flops, vector_flops, bytes_read, bytes_written})};
}

Profile make_profile(const std::string& origin, std::string label, std::string device,
                     std::string framework, std::vector<Span> spans, const std::string& statistic,
                     std::string sampling, std::string stop_reason,
                     std::vector<double> warmup_samples_s,
                     std::optional<std::int64_t> peak_memory_bytes,
                     const std::optional<Pair>& peak_memory_interval_bytes,
                     std::optional<double> energy_joules,
                     const std::optional<Pair>& energy_interval_joules,
                     std::vector<CounterReading> counters, std::vector<MemoryPoint> memory_timeline,
                     std::map<std::string, std::string> environment, std::vector<std::string> notes,
                     std::string source, std::string work) {
  Profile profile{parse_origin(origin),
                  std::move(label),
                  std::move(work),
                  std::move(device),
                  std::move(framework),
                  std::move(source),
                  parse_statistic(statistic),
                  std::move(sampling),
                  std::move(stop_reason),
                  std::move(spans),
                  std::move(warmup_samples_s),
                  peak_memory_bytes,
                  to_interval(peak_memory_interval_bytes),
                  energy_joules,
                  to_interval(energy_interval_joules),
                  std::move(counters),
                  MemoryTimeline(std::move(memory_timeline)),
                  std::move(environment),
                  std::move(notes)};
  check(profile, "profile");
  return profile;
}

Profile with_environment(const Profile& profile,
                         const std::map<std::string, std::string>& environment) {
  Profile copy = profile;
  copy.environment = environment;
  return copy;
}

void bind_sampling(py::module_& module) {
  py::class_<Sampling>(module, "Sampling", "How often to measure, and when to stop.")
      .def("__repr__", [](const Sampling& s) { return "<Sampling " + s.name + ">"; })
      .def_static("paper", &Sampling::paper,
                  "10 warm-ups, 100 launches, the mean.\n\nSource: arXiv 2501.14925 section 4.4.")
      .def_static(
          "adaptive",
          [](double half_width, double budget_s, int warmups, int min_samples, int max_samples,
             double confidence, double min_time_s) {
            Sampling rule = Sampling::adaptive(half_width, budget_s, warmups, min_samples,
                                               max_samples, confidence, min_time_s);
            check(rule);
            return rule;
          },
          py::arg("relative_half_width") = 0.02, py::arg("budget_s") = 2.0, py::arg("warmups") = 2,
          py::arg("min_samples") = 9, py::arg("max_samples") = 1000, py::arg("confidence") = 0.95,
          py::arg("min_time_s") = 0.2,
          "Median and its distribution-free interval, of samples that are spread over min_time_s; "
          "stops when the interval's half-width is below the given part of the median, when the "
          "budget is spent, or at max_samples.\n\nRaises: ArgumentError.")
      .def_static(
          "fixed",
          [](int samples, int warmups) {
            Sampling rule = Sampling::fixed(samples, warmups);
            check(rule);
            return rule;
          },
          py::arg("samples"), py::arg("warmups") = 1, "So many samples; the median.")
      .def_readonly("name", &Sampling::name, "paper, adaptive or fixed.")
      .def_property_readonly(
          "statistic", [](const Sampling& s) { return std::string(name(s.statistic)); },
          "What stands for the samples: median, mean or unstated.")
      .def_readonly("warmups", &Sampling::warmups, "Runs before the first sample; kept apart.")
      .def_readonly("min_samples", &Sampling::min_samples, "Samples at least.")
      .def_readonly("max_samples", &Sampling::max_samples, "Samples at most.")
      .def_readonly("relative_half_width", &Sampling::relative_half_width,
                    "Half of the interval over the time, at which sampling ends; 0: no such end.")
      .def_readonly("budget_s", &Sampling::budget_s,
                    "Seconds after which no sample is begun; 0: no limit.")
      .def_readonly("confidence", &Sampling::confidence, "Of the interval, as 0.95.")
      .def_readonly("min_time_s", &Sampling::min_time_s,
                    "Seconds over which samples are spread at least, if the budget has them.")
      .def(py::self == py::self);
}

void bind_span(py::module_& module) {
  py::class_<Span>(module, "Span", "One stretch of a profile: the step, a phase, or one op.")
      .def(py::init(&make_span), py::arg("name"), py::arg("kind"), py::arg("phase"),
           py::arg("parent"), py::arg("call"), py::arg("wall_s"),
           py::arg("interval_s") = py::none(), py::arg("samples_s") = std::vector<double>{},
           py::arg("terms") = py::none(), py::arg("matrix_flops") = py::none(),
           py::arg("vector_flops") = py::none(), py::arg("bytes_read") = py::none(),
           py::arg("bytes_written") = py::none())
      .def_readonly("name", &Span::name, "Of the step, the phase, or the op with its sizes.")
      .def_property_readonly(
          "kind", [](const Span& s) { return std::string(name(s.kind)); }, "step, phase or op.")
      .def_property_readonly(
          "phase", [](const Span& s) { return std::string(name(s.phase)); },
          "forward, backward, optimizer or transfer.")
      .def_readonly("parent", &Span::parent,
                    "Index of the span that it is part of; -1 for the step.")
      .def_readonly("call", &Span::call, "Index of the trace's call; -1 for steps and phases.")
      .def_readonly("wall_s", &Span::wall_s, "Seconds of one pass, by the profile's statistic.")
      .def_property_readonly(
          "interval_s", [](const Span& s) { return to_pair(s.interval_s); },
          "(low, high) of wall_s in seconds; None where there is none.")
      .def_readonly("samples_s", &Span::samples_s,
                    "Seconds of each sample, in order; empty where none were kept.")
      .def_property_readonly(
          "terms", [](const Span& s) { return terms_by_name(s.terms); },
          "Predicted: seconds by term; arithmetic and traffic overlap, so that together they are "
          "wall_s or more. Else None.")
      .def_readonly("cost", &Span::cost, "What it must do; None where that isn't known.")
      .def(py::self == py::self)
      .def("__repr__", &Span::summary);
}

using ProfileClass = py::class_<Profile>;

/// What it says of where its numbers come from.
void bind_origin(ProfileClass& profile) {
  profile
      .def_property_readonly(
          "origin", [](const Profile& p) { return std::string(name(p.origin)); },
          "measured, predicted or recorded.")
      .def_readonly("label", &Profile::label, "Of the trace.")
      .def_readonly("work", &Profile::work,
                    "What was done, whichever kernels did it; empty where only the label says.")
      .def_readonly("device", &Profile::device, "Id of the machine.")
      .def_readonly("framework", &Profile::framework,
                    "Whose kernels ran, or were predicted; measured here: the engine.")
      .def_readonly("source", &Profile::source, "Recorded: where it was published; else empty.")
      .def_property_readonly(
          "statistic", [](const Profile& p) { return std::string(name(p.statistic)); },
          "What stands for the samples: median, mean or unstated.")
      .def_readonly("sampling", &Profile::sampling,
                    "Name of the rule; empty where nothing was sampled.")
      .def_readonly("stop_reason", &Profile::stop_reason,
                    "Why sampling ended; empty where nothing was sampled.")
      .def_readonly("environment", &Profile::environment,
                    "Facts of the machine that measured, by name; versions too.")
      .def_readonly("notes", &Profile::notes, "What a reader should know of these numbers.")
      .def("with_environment", &with_environment, py::arg("environment"),
           "The same profile with these facts of the machine in place of its own.");
}

/// Where the time goes.
void bind_times(ProfileClass& profile) {
  profile.def_property_readonly("time_s", &Profile::time_s, "Seconds of one pass.")
      .def_property_readonly(
          "interval", [](const Profile& p) { return to_pair(p.step().interval_s); },
          "(low, high) of time_s in seconds: measured, at the rule's confidence; predicted, 90 %. "
          "None where there is none.")
      .def_property_readonly(
          "samples_s", [](const Profile& p) { return p.step().samples_s; },
          "Seconds of each sample, in order.")
      .def_readonly("warmup_samples_s", &Profile::warmups_s, "Seconds of the runs before them.")
      .def_property_readonly(
          "forward_s", [](const Profile& p) { return p.phase_s(Phase::Forward); },
          "Seconds of the forward phase; None without one (reason('forward_s') says why).")
      .def_property_readonly(
          "backward_s", [](const Profile& p) { return p.phase_s(Phase::Backward); },
          "Seconds of the backward phase; None without one.")
      .def_property_readonly(
          "optimizer_s", [](const Profile& p) { return p.phase_s(Phase::Optimizer); },
          "Seconds of the optimizer phase; None without one.")
      .def_property_readonly(
          "transfer_s", [](const Profile& p) { return p.phase_s(Phase::Transfer); },
          "Seconds of transfers between host and device; None without any.")
      .def_property_readonly("unattributed_s", &Profile::unattributed_s,
                             "Seconds of the step that are no op's; negative where ops overlap.")
      .def_property_readonly(
          "terms", [](const Profile& p) { return terms_by_name(p.step().terms); },
          "Predicted: seconds by term; arithmetic and traffic overlap, so that together they are "
          "time_s or more. Else None.")
      .def_property_readonly(
          "spans", [](const Profile& p) -> const std::vector<Span>& { return p.spans.all(); },
          "The step first, then its phases and ops: parents before children.");
}

/// What the time was spent on, and what it took.
void bind_amounts(ProfileClass& profile) {
  profile
      .def_property_readonly(
          "flops", [](const Profile& p) { return flops(p.step()); },
          "FLOP of one pass (a multiply-add is 2); None where that isn't known.")
      .def_property_readonly(
          "bytes", [](const Profile& p) { return bytes(p.step()); },
          "Compulsory traffic of one pass in bytes; None where that isn't known.")
      .def_readonly("peak_memory_bytes", &Profile::peak_memory_bytes,
                    "Most bytes held at once; None where that isn't known.")
      .def_property_readonly(
          "peak_memory_interval_bytes",
          [](const Profile& p) { return to_pair(p.peak_memory_interval_bytes); },
          "(low, high) of peak_memory_bytes, 90 %, where it is predicted; None where there is "
          "none.")
      .def_property_readonly(
          "memory_timeline", [](const Profile& p) { return p.memory_timeline.points(); },
          "Bytes by role while each call runs; predicted alone, else empty.")
      .def_readonly(
          "energy_joules", &Profile::energy_joules,
          "Joules of one pass; None where nothing counts them (reason('energy_joules') says why).")
      .def_property_readonly(
          "energy_interval_joules",
          [](const Profile& p) { return to_pair(p.energy_interval_joules); },
          "(low, high) of energy_joules, 90 %, where it is predicted; None where there is none.")
      .def_property_readonly(
          "page_faults", &Profile::page_faults,
          "Minor and major faults of one pass, counted or, of memory that pages, "
          "predicted; None where they weren't.")
      .def_readonly("counters", &Profile::counters,
                    "All counters that were asked for, with values or reasons.")
      .def("reason", &Profile::reason, py::arg("name"),
           "Why a value is None; empty when it is not.\n\nRaises: UnknownNameError for a name that "
           "is neither a field that may be missing nor a counter.");
}

void bind_profile_class(py::module_& module) {
  ProfileClass profile(
      module, "Profile",
      "Where the time and memory of a trace go, and where the numbers come from.\n\n"
      "Units: seconds, bytes, joules. A missing value is None; reason(name) says why.");
  profile
      .def(py::init(&make_profile), py::arg("origin"), py::arg("label"), py::arg("device"),
           py::arg("framework"), py::arg("spans"), py::kw_only(), py::arg("statistic") = "median",
           py::arg("sampling") = "", py::arg("stop_reason") = "",
           py::arg("warmup_samples_s") = std::vector<double>{},
           py::arg("peak_memory_bytes") = py::none(),
           py::arg("peak_memory_interval_bytes") = py::none(),
           py::arg("energy_joules") = py::none(), py::arg("energy_interval_joules") = py::none(),
           py::arg("counters") = std::vector<CounterReading>{},
           py::arg("memory_timeline") = std::vector<MemoryPoint>{},
           py::arg("environment") = std::map<std::string, std::string>{},
           py::arg("notes") = std::vector<std::string>{}, py::arg("source") = "",
           py::arg("work") = "")
      .def(py::self == py::self)
      .def("__repr__", &Profile::summary);
  bind_origin(profile);
  bind_times(profile);
  bind_amounts(profile);
}

}  // namespace

void bind_profile(py::module_& module) {
  bind_sampling(module);
  bind_span(module);
  bind_profile_class(module);
  module.def(
      "disturbance_notes",
      [](const std::vector<CounterReading>& per_step, const std::vector<double>& samples_s) {
        return disturbance_notes(per_step, samples_s);
      },
      py::arg("per_step"), py::arg("samples_s"),
      "What counters per step and the steps in order say of other work that shared the processors, "
      "and of a machine that slowed down; empty for one at rest.");
  module.def(
      "term_names", [] { return to_strings(term_names()); }, "What a prediction is made of.");
}

}  // namespace siliconprof::bindings
