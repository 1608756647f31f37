#pragma once

// One function per bound folder, and the two ways in which values cross the boundary.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "siliconprof/core/quantile.h"

namespace siliconprof::bindings {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_core(py::module_& module);
void bind_ops(py::module_& module);
void bind_workloads(py::module_& module);
void bind_counters(py::module_& module);
void bind_profile(py::module_& module);
void bind_compare(py::module_& module);
void bind_devices(py::module_& module);
void bind_explain(py::module_& module);
void bind_sweep(py::module_& module);
void bind_kernels(py::module_& module);
void bind_bound(py::module_& module);

using Pair = std::pair<double, double>;

inline std::optional<Pair> to_pair(const std::optional<Interval>& interval) {
  return interval ? std::optional<Pair>({interval->lo, interval->hi}) : std::nullopt;
}

inline std::optional<Interval> to_interval(const std::optional<Pair>& pair) {
  return pair ? std::optional<Interval>({pair->first, pair->second}) : std::nullopt;
}

inline std::vector<std::string> to_strings(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

inline std::vector<std::string_view> to_views(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

}  // namespace siliconprof::bindings
