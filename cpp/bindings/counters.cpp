#include <pybind11/operators.h>

#include "bindings.h"
#include "siliconprof/core/error.h"
#include "siliconprof/counters/read_cost.h"
#include "siliconprof/counters/table.h"
#include "siliconprof/counters/window.h"
#include "window_type.h"

namespace siliconprof::bindings {
namespace {

// A counter's row together with whether it can be read here.
struct CounterRow {
  CounterInfo info;
  Availability availability;
};

std::vector<CounterRow> rows() {
  std::vector<CounterRow> all;
  for (const CounterSource* source : counter_sources()) {
    for (const CounterInfo& info : source->counters())
      all.push_back({info, source->availability()});
  }
  return all;
}

CounterKind parse_counter_kind(const std::string& text) {
  if (text == "delta") return CounterKind::Delta;
  if (text == "level") return CounterKind::Level;
  throw ArgumentError("[counter] kind is '" + text + "'; needed: delta or level");
}

void bind_rows(py::module_& module) {
  py::class_<CounterRow>(module, "CounterInfo", "A counter: what it counts, and whether it can.")
      .def_property_readonly(
          "name", [](const CounterRow& r) { return std::string(r.info.name); },
          "As windows and profiles name it.")
      .def_property_readonly(
          "unit", [](const CounterRow& r) { return std::string(r.info.unit); }, "Of its values.")
      .def_property_readonly(
          "scope", [](const CounterRow& r) { return std::string(r.info.scope); },
          "What it sees: the process, the machine...")
      .def_property_readonly(
          "source", [](const CounterRow& r) { return std::string(r.info.source); },
          "What it is read from.")
      .def_property_readonly(
          "accuracy", [](const CounterRow& r) { return std::string(r.info.accuracy); },
          "How far it can be trusted.")
      .def_property_readonly(
          "kind", [](const CounterRow& r) { return std::string(name(r.info.kind)); },
          "delta: over a window; level: at its end.")
      .def_property_readonly(
          "available", [](const CounterRow& r) { return r.availability.available; },
          "Whether it can be read here.")
      .def_property_readonly(
          "reason", [](const CounterRow& r) { return r.availability.reason; },
          "Why not; empty where it can.")
      .def_property_readonly(
          "remedy", [](const CounterRow& r) { return r.availability.remedy; },
          "What would help; empty where nothing is known to.");
  py::class_<CounterReading>(module, "CounterReading",
                             "A counter's value over a window, or why there is none.")
      .def(py::init([](std::string counter, std::string unit, std::optional<double> value,
                       std::string reason, const std::string& kind) {
             return CounterReading{std::move(counter), std::move(unit), value, std::move(reason),
                                   parse_counter_kind(kind)};
           }),
           py::arg("name"), py::arg("unit"), py::arg("value"), py::arg("reason") = "",
           py::arg("kind") = "delta")
      .def_readonly("name", &CounterReading::name, "Of the counter.")
      .def_readonly("unit", &CounterReading::unit, "Of the value.")
      .def_readonly("value", &CounterReading::value, "None where there is none.")
      .def_readonly("reason", &CounterReading::reason, "Why there is none; else empty.")
      .def_property_readonly(
          "kind", [](const CounterReading& r) { return std::string(name(r.kind)); },
          "delta: over the window; level: at its end.")
      .def(py::self == py::self)
      .def("__repr__", &CounterReading::summary);
}

}  // namespace

void bind_counters(py::module_& module) {
  bind_rows(module);
  module.def("counters", &rows, "Every counter of the table, with its availability here.");
  module.def(
      "counter_read_cost_ns",
      [](const std::string& counter, int repetitions) {
        SteadyClock clock;
        return counter_read_cost_ns(counter, repetitions, clock);
      },
      py::arg("name"), py::arg("repetitions") = 2000,
      "Median cost of reading a counter's source once, in ns; None when it is unavailable.\n\n"
      "Raises: UnknownNameError, ArgumentError.");
  bind_window(module);
}

}  // namespace siliconprof::bindings
