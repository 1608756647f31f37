#include "siliconprof/devices/explain.h"

#include <pybind11/operators.h>

#include "bindings.h"
#include "gil.h"

namespace siliconprof::bindings {
namespace {

// A part with the share that its gap gives it.
struct SharedPart {
  CausePart part;
  std::optional<double> share;
};

std::vector<SharedPart> terms(const Causes& causes) {
  std::vector<SharedPart> found;
  found.reserve(causes.parts.size());
  for (const CausePart& part : causes.parts) found.push_back({part, causes.share(part)});
  return found;
}

// Seconds by name, where there are any.
template <class Key, std::size_t N>
std::map<std::string, double> by_name(const std::array<double, N>& seconds) {
  std::map<std::string, double> named;
  for (std::size_t i = 0; i < N; ++i) {
    if (seconds[i] != 0.0) named[std::string(name(static_cast<Key>(i)))] = seconds[i];
  }
  return named;
}

Causes explain_steps(const std::vector<std::reference_wrapper<const Trace>>& traces,
                     const Model& from, const Model& to, std::optional<double> measured_from_s,
                     std::optional<double> measured_to_s) {
  Steps steps{};
  for (std::size_t i = 0; i < steps.traces.size(); ++i) steps.traces[i] = &traces.at(i).get();
  Causes causes = explain(steps, from, to);
  causes.measured_from_s = measured_from_s;
  causes.measured_to_s = measured_to_s;
  return causes;
}

// What pickle keeps, in the order of the fields.
py::tuple causes_state(const Causes& causes) {
  py::list parts;
  for (const CausePart& part : causes.parts) {
    parts.append(py::make_tuple(int(part.cause), part.seconds, part.by_phase_s, part.by_class_s));
  }
  return py::make_tuple(causes.from, causes.to, causes.from_s, causes.to_s, parts,
                        causes.measured_from_s, causes.measured_to_s, causes.notes);
}

Causes causes_of(const py::tuple& state) {
  std::vector<CausePart> parts;
  for (const py::handle entry : state[4]) {
    const auto part = entry.cast<py::tuple>();
    parts.push_back({Cause(part[0].cast<int>()), part[1].cast<double>(),
                     part[2].cast<std::array<double, kPhaseCount>>(),
                     part[3].cast<std::array<double, kOpClassCount>>()});
  }
  return {state[0].cast<std::string>(),
          state[1].cast<std::string>(),
          state[2].cast<double>(),
          state[3].cast<double>(),
          std::move(parts),
          state[5].cast<std::optional<double>>(),
          state[6].cast<std::optional<double>>(),
          state[7].cast<std::vector<std::string>>()};
}

void bind_cause_part(py::module_& module) {
  py::class_<SharedPart>(module, "CausePart",
                         "One cause's part of a gap: seconds, its share, and the same by phase and "
                         "by op class.")
      .def_property_readonly(
          "name", [](const SharedPart& p) { return std::string(name(p.part.cause)); },
          "One of cause_names().")
      .def_property_readonly(
          "seconds", [](const SharedPart& p) { return p.part.seconds; }, "Of the gap.")
      .def_readonly("share", &SharedPart::share, "Of the gap; None where that is 0.")
      .def_property_readonly(
          "by_phase", [](const SharedPart& p) { return by_name<Phase>(p.part.by_phase_s); },
          "Seconds by phase, which sum to it.")
      .def_property_readonly(
          "by_class", [](const SharedPart& p) { return by_name<OpClass>(p.part.by_class_s); },
          "Seconds by op class, which sum to it.")
      .def("__repr__", [](const SharedPart& p) {
        return "<CausePart " + std::string(name(p.part.cause)) + ">";
      });
}

void bind_causes(py::module_& module) {
  py::class_<Causes>(module, "Causes",
                     "Why one target takes longer than another: a predicted gap, to minus from, in "
                     "terms that sum to it.\n\nUnits: seconds. residual_s is what was measured of "
                     "the gap less what is predicted; None without measurements of both sides.")
      .def_readonly("from_target", &Causes::from, "Its name.")
      .def_readonly("to_target", &Causes::to, "Its name.")
      .def_readonly("from_s", &Causes::from_s, "Predicted seconds.")
      .def_readonly("to_s", &Causes::to_s, "Predicted seconds.")
      .def_property_readonly("gap_s", &Causes::gap_s, "to_s less from_s.")
      .def_property_readonly("terms", &terms,
                             "Parts that sum to the gap, in the order of cause_names().")
      .def_readonly("measured_from_s", &Causes::measured_from_s,
                    "Seconds; None where nothing was measured.")
      .def_readonly("measured_to_s", &Causes::measured_to_s,
                    "Seconds; None where nothing was measured.")
      .def_property_readonly("residual_s", &Causes::residual_s,
                             "Measured gap less the predicted one; None without both measurements.")
      .def_readonly("notes", &Causes::notes, "What a reader should know of these numbers.")
      .def(
          "with_notes",
          [](Causes causes, std::vector<std::string> notes) {
            causes.notes = std::move(notes);
            return causes;
          },
          py::arg("notes"), "The same with these in place of its notes.")
      .def(py::pickle(&causes_state, &causes_of))
      .def(py::self == py::self)
      .def("__repr__", [](const Causes& c) { return "<Causes " + c.from + " to " + c.to + ">"; });
}

}  // namespace

void bind_explain(py::module_& module) {
  bind_cause_part(module);
  bind_causes(module);
  module.def(
      "cause_names", [] { return to_strings(cause_names()); },
      "The terms that a gap is split into.");
  module.def(
      "explain", &explain_steps, py::arg("traces"), py::arg("from_model"), py::arg("to_model"),
      py::arg("measured_from_s") = py::none(), py::arg("measured_to_s") = py::none(),
      "The predicted gap between two targets, split by Shapley values over its terms.\n\n"
      "traces: the step in the kernels (4), formats (2) and transfers (1) of each side, at the sum "
      "of those that are `to`'s; the same trace where a side changes nothing.\nUnits: "
      "seconds.\nRaises: ArgumentError "
      "for an empty trace, DtypeError for a format that a side lacks.\nSource: Shapley 1953.",
      py::call_guard<GilRelease>());
}

}  // namespace siliconprof::bindings
