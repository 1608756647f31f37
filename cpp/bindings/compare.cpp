#include "siliconprof/profile/compare.h"

#include <pybind11/operators.h>

#include "bindings.h"

namespace siliconprof::bindings {
namespace {

// What pickle keeps, in the order of the fields.

py::tuple row_state(const GapRow& row) {
  const auto phase = row.phase ? std::optional(std::string(name(*row.phase))) : std::nullopt;
  return py::make_tuple(row.name, phase, row.from_s, row.to_s, to_pair(row.interval_s));
}

GapRow row_of(const py::tuple& state) {
  const auto phase = state[1].cast<std::optional<std::string>>();
  return {state[0].cast<std::string>(), phase ? std::optional(parse_phase(*phase)) : std::nullopt,
          state[2].cast<std::optional<double>>(), state[3].cast<std::optional<double>>(),
          to_interval(state[4].cast<std::optional<Pair>>())};
}

py::tuple gap_state(const Gap& gap) {
  return py::make_tuple(int(gap.verdict), gap.ratio, Pair(gap.interval.lo, gap.interval.hi),
                        gap.margin, gap.rows, gap.notes);
}

Gap gap_of(const py::tuple& state) {
  const auto [lo, hi] = state[2].cast<Pair>();
  return {Verdict(state[0].cast<int>()),
          state[1].cast<double>(),
          {lo, hi},
          state[3].cast<double>(),
          state[4].cast<std::vector<GapRow>>(),
          state[5].cast<std::vector<std::string>>()};
}

}  // namespace

void bind_compare(py::module_& module) {
  py::class_<GapRow>(module, "GapRow", "One span of either side; None where a side lacks it.")
      .def_readonly("name", &GapRow::name, "Of the span.")
      .def_property_readonly(
          "phase",
          [](const GapRow& r) {
            return r.phase ? std::optional(std::string(name(*r.phase))) : std::nullopt;
          },
          "forward, backward, optimizer or transfer; None for a whole step.")
      .def_readonly("from_s", &GapRow::from_s, "Seconds of the first profile.")
      .def_readonly("to_s", &GapRow::to_s, "Seconds of the second.")
      .def_property_readonly("difference_s", &GapRow::difference_s,
                             "to_s less from_s; a side that is None counts as 0.")
      .def_property_readonly(
          "interval_s", [](const GapRow& r) { return to_pair(r.interval_s); },
          "(low, high) of the difference in seconds; None where a side lacks the span, or was "
          "measured too few times.")
      .def(py::self == py::self)
      .def(py::pickle(&row_state, &row_of))
      .def("__repr__", &GapRow::summary);
  py::class_<Gap>(module, "Gap", "How one profile compares with another: ratio = to / from.")
      .def_property_readonly(
          "verdict", [](const Gap& g) { return std::string(name(g.verdict)); },
          "faster, slower, same or unresolved, by the interval and the margin.")
      .def_readonly("ratio", &Gap::ratio, "Time of the second over that of the first.")
      .def_property_readonly(
          "interval", [](const Gap& g) { return Pair(g.interval.lo, g.interval.hi); },
          "(low, high) of the ratio.")
      .def_readonly("margin", &Gap::margin, "What counts as no difference, as 0.02.")
      .def_readonly("rows", &Gap::rows, "Spans of either side, in order of occurrence.")
      .def_readonly(
          "notes", &Gap::notes,
          "Why the verdict is unresolved, what counts as exact, and what each profile notes.")
      .def(py::self == py::self)
      .def(py::pickle(&gap_state, &gap_of))
      .def("__repr__", &Gap::summary);
  module.def(
      "compare", &compare, py::arg("from_profile"), py::arg("to_profile"), py::arg("margin") = 0.02,
      "How `to_profile` compares with `from_profile`: ratio of times with interval, a verdict "
      "(faster, slower, same within the margin, unresolved) and rows by op.\n\nRaises: "
      "ArgumentError for a margin outside [0, 1) or a time of 0.");
}

}  // namespace siliconprof::bindings
