#include <algorithm>
#include <cstring>

#include "arrays.h"
#include "bindings.h"
#include "gil.h"
#include "siliconprof/core/error.h"
#include "siliconprof/core/nearest.h"
#include "siliconprof/counters/table.h"
#include "siliconprof/kernels/cpu/bandwidth_probe.h"
#include "siliconprof/kernels/cpu/caches.h"
#include "siliconprof/kernels/cpu/cpu_backend.h"
#include "siliconprof/kernels/cpu/cpu_count.h"
#include "siliconprof/kernels/cpu/cpu_features.h"
#include "siliconprof/kernels/cpu/openblas_in_process.h"
#include "siliconprof/kernels/cpu/openblas_library.h"
#include "siliconprof/kernels/cpu/peak_probe.h"
#include "siliconprof/kernels/cpu/threads_at_fork.h"
#include "siliconprof/kernels/cpu/touched_pages.h"
#include "siliconprof/kernels/cpu/workspaces.h"
#include "siliconprof/ops/liveness.h"
#include "siliconprof/profile/loop.h"

namespace siliconprof::bindings {
namespace {

using cpu::EngineInfo;

std::vector<EngineInfo> engines() {
  std::vector<EngineInfo> all;
  for (const cpu::Engine* engine : cpu::all_engines()) all.push_back(engine->info());
  return all;
}

Profile run_on_cpu(const Trace& trace, const std::string& engine, int threads,
                   const Sampling& sampling) {
  SteadyClock clock;
  const Poll poll = signal_poll();
  cpu::CpuBackend backend(cpu::find_engine(engine), threads, clock, poll);
  const GilRelease free;
  return profile(trace, backend, counter_names(), sampling);
}

/// Parameters and states by name. An input that is given lies in the caller's own array.
std::map<std::string_view, TensorId> own_tensors(const Trace& trace) {
  std::map<std::string_view, TensorId> own;
  for (std::size_t id = 0; id < trace.tensors().size(); ++id) {
    const TensorInfo& info = trace.tensors()[id];
    if (info.is_view() || !is_persistent(info.role) || cpu::is_given(info)) continue;
    own.emplace(info.name, TensorId(id));
  }
  return own;
}

/// Copies arrays into the tensors of their names that own their memory.
void write_named(const Trace& trace, const cpu::BoundTrace& bound,
                 const std::map<std::string, py::object>& named) {
  if (named.empty()) return;
  const std::map<std::string_view, TensorId> own = own_tensors(trace);
  for (const auto& entry : named) {
    const std::string& name = entry.first;
    const auto found = own.find(name);
    if (found == own.end()) {
      std::vector<std::string_view> names;
      names.reserve(own.size());
      for (const auto& [known, tensor] : own) names.push_back(known);
      throw ArgumentError("[evaluate] named has '" + name +
                          "', which is no parameter or state of '" + trace.label() + "'" +
                          did_you_mean(name, names));
    }
    const TensorId id = found->second;
    const TensorView from = borrow(entry.second, trace.tensors()[std::size_t(id)].dtype, name);
    const TensorView& to = bound.view(id);
    if (from.shape != to.shape) {
      throw ShapeError("[evaluate] " + name + " has shape " + to_string(from.shape) +
                       "; needed: " + to_string(to.shape));
    }
    std::memcpy(to.data, from.data, std::size_t(to.bytes()));
  }
}

std::vector<py::array> evaluate(const Trace& trace, const std::vector<py::object>& inputs,
                                const std::string& engine, int threads,
                                const std::map<std::string, py::object>& named) {
  const std::vector<TensorView> given = borrow_inputs(trace, inputs);
  // None at all would be made up; here that is one too few, unless the trace needs none.
  if (given.size() < cpu::input_count(trace)) {
    throw ArgumentError("[evaluate] " + std::to_string(inputs.size()) +
                        " inputs; needed: " + std::to_string(cpu::input_count(trace)));
  }
  const Poll poll = signal_poll();
  const cpu::Engine& chosen = cpu::find_engine(engine);
  const int count = cpu::engine_threads(chosen, threads);
  const cpu::BoundTrace bound = bind_to(trace, chosen, count, given, poll);
  write_named(trace, bound, named);
  std::vector<py::array> results;
  std::vector<std::pair<void*, TensorView>> copies;
  for (const TensorId id : cpu::result_ids(trace)) {
    results.push_back(array_for(bound.view(id)));
    copies.emplace_back(results.back().mutable_data(), bound.view(id));
  }
  const GilRelease free;
  for (std::size_t call = 0; call < trace.calls().size(); ++call) bound.run(call, poll);
  for (const auto& [to, from] : copies) std::memcpy(to, from.data, std::size_t(from.bytes()));
  return results;
}

std::vector<std::tuple<std::string, std::string, std::string>> loaded_openblas() {
  std::vector<std::tuple<std::string, std::string, std::string>> all;
  for (const auto& found : cpu::loaded_openblas()) {
    all.emplace_back(found.path, found.corename, found.config);
  }
  return all;
}

std::vector<double> fma_peak(const std::string& dtype, int threads, double seconds) {
  SteadyClock clock;
  const Poll poll = signal_poll();
  const int count = cpu::checked_threads(threads);
  const GilRelease free;
  return cpu::measure_fma_peak(parse_dtype(dtype), count, seconds, clock, poll);
}

std::vector<double> bandwidth(const std::string& pattern, int threads, std::int64_t bytes,
                              double seconds) {
  SteadyClock clock;
  const Poll poll = signal_poll();
  const auto which = cpu::parse_bandwidth_pattern(pattern);
  const int count = cpu::checked_threads(threads);
  const GilRelease free;
  return cpu::measure_bandwidth(which, count, bytes, seconds, clock, poll);
}

/// (major faults, minor faults, pages read, pages written) of each pass.
std::vector<std::array<std::int64_t, 4>> limited_passes(const Trace& trace, int passes,
                                                        std::int64_t limit_pages,
                                                        std::int64_t read_ahead, int threads) {
  const GilRelease free;
  const cpu::TouchedPages touched = cpu::touched_pages(trace, cpu::checked_threads(threads));
  std::vector<std::array<std::int64_t, 4>> found;
  for (const cpu::PageCounts& each :
       cpu::limited_passes(touched, passes, limit_pages, read_ahead)) {
    found.push_back({each.major_faults, each.minor_faults, each.pages_in, each.pages_out});
  }
  return found;
}

py::dict workspaces(const Trace& trace, int threads) {
  py::dict found;
  for (const cpu::Workspace& each : cpu::workspaces(trace, cpu::checked_threads(threads))) {
    found[py::str(std::string(each.name))] = each.bytes;
  }
  return found;
}

void bind_engines(py::module_& module) {
  py::class_<EngineInfo>(module, "EngineInfo", "An engine: its library and the kernels it picked.")
      .def_readonly("name", &EngineInfo::name, "As engine= takes it.")
      .def_readonly("available", &EngineInfo::available, "Whether it runs here.")
      .def_readonly("reason", &EngineInfo::reason, "Why not; empty where it does.")
      .def_readonly("version", &EngineInfo::version, "Of its library.")
      .def_readonly("kernel_family", &EngineInfo::kernel_family,
                    "Whose kernels the library chose for this CPU.")
      .def_readonly("library", &EngineInfo::library, "File that was loaded.")
      .def_readonly("threading", &EngineInfo::threading,
                    "What its threads are: openmp, std or none.");
  module.def("engines", &engines, "Every engine; loads their libraries.");
  module.def(
      "engine_names", [] { return to_strings(cpu::engine_names()); }, "Engines by name.");
  module.def(
      "loaded_openblas", &loaded_openblas,
      "(path, kernel family, configuration) of each OpenBLAS that others, such as numpy, have "
      "loaded into this process.");
  module.def(
      "wanted_openblas_family", [] { return cpu::wanted_openblas_family(cpu::cpu_features()); },
      "The OpenBLAS kernel family that suits this CPU; empty where the library may decide.");
  module.def(
      "cpu_features", [] { return to_strings(cpu::feature_names(cpu::cpu_features())); },
      "Vector extensions of this CPU that matter to kernels.");
  module.def("usable_processors", &cpu::usable_processors,
             "Processors that this process may use, by number.");
  module.def("default_threads", &cpu::default_threads, "Processors that this process may use.");
  module.def(
      "last_level_cache_bytes", &cpu::last_level_cache_bytes,
      "Bytes of the last cache before memory that this process may count on: what one CPU can "
      "use, at most 16 MiB for each of its CPUs; 32 MiB where the system doesn't say.");
}

}  // namespace

void bind_kernels(py::module_& module) {
  check_numpy();
  cpu::end_threads_at_forks();
  module.attr("reads_numpy_2") = kReadsNumpy2;
  bind_engines(module);
  module.def("measure_fma_peak", &fma_peak, py::arg("dtype") = "float32", py::arg("threads") = 0,
             py::arg("seconds") = 0.2,
             "Samples of the rate of independent multiply-adds in registers.\n\nUnits: FLOP/s.\n"
             "Raises: DtypeError where the CPU has no arithmetic in the dtype.");
  module.def(
      "measure_bandwidth", &bandwidth, py::arg("pattern") = "triad", py::arg("threads") = 0,
      py::arg("bytes") = 268435456, py::arg("seconds") = 0.4,
      "Samples of memory bandwidth over arrays of `bytes` each (three of them).\n\nUnits: bytes/s "
      "of "
      "compulsory traffic.\nRaises: UnknownNameError for a pattern other than read, write, copy, "
      "add, "
      "scale, triad, update.\nSource: McCalpin's STREAM.");
  module.def("limited_passes", &limited_passes, py::arg("trace"), py::arg("passes"),
             py::arg("limit_pages"), py::arg("read_ahead"), py::arg("threads") = 0,
             "What each of so many runs of the trace on this CPU, one after the other, shows in a "
             "memory of limit_pages pages of 4 KiB: (major faults, minor faults, pages read from "
             "swap, pages written to it). A fault reads at most read_ahead pages.\n\n"
             "Raises: ArgumentError for a limit of fewer than 1024 pages.\nSource: mm/vmscan.c, "
             "mm/workingset.c and mm/swap_state.c of Linux 6.18.");
  module.def("workspaces", &workspaces, py::arg("trace"), py::arg("threads") = 0,
             "Bytes that a run on this CPU takes beside the trace's tensors, by name: what kernels "
             "and OpenBLAS keep for themselves, the ends of huge pages.\n\nRaises: ArgumentError.");
  module.def(
      "run_on_cpu", &run_on_cpu, py::arg("trace"), py::arg("engine") = "openblas",
      py::arg("threads") = 0, py::arg("sampling") = Sampling::adaptive(),
      "Runs the trace on this CPU and measures it. Ctrl-C stops it.\n\nUnits: seconds.\nRaises: "
      "UnknownNameError, EngineUnavailable, DtypeError, ArgumentError.");
  module.def(
      "evaluate", &evaluate, py::arg("trace"), py::arg("inputs"), py::arg("engine") = "openblas",
      py::arg("threads") = 0, py::arg("named") = std::map<std::string, py::object>{},
      "Runs the trace once on the given arrays and returns its results. `named` are values to "
      "start with of parameters and states.\n\nShapes: as the "
      "trace's tensors of role input, in order; bfloat16 travels as uint16.\nRaises: ShapeError, "
      "DtypeError, ArgumentError for wrong, non-contiguous or missing arrays; nothing is copied "
      "silently.");
}

}  // namespace siliconprof::bindings
