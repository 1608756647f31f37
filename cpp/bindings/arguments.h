#pragma once

// Arguments of compiled methods, checked and refused by python/siliconprof/arguments.py: pybind11
// would say that no overload fits.

#include <cstdint>
#include <limits>
#include <string>

#include "bindings.h"

namespace siliconprof::bindings {

/// "[bind] call = 'two' (str): a whole number is needed".
inline std::int64_t whole_argument(const char* place, const char* name, const py::object& value) {
  using Limits = std::numeric_limits<std::int64_t>;
  return py::module_::import("siliconprof.arguments")
      .attr("whole")(place, name, value, Limits::min(), Limits::max())
      .cast<std::int64_t>();
}

/// A finite number that float64 holds as it is.
inline double exact_argument(const char* place, const std::string& name, const py::object& value) {
  return py::module_::import("siliconprof.arguments")
      .attr("exact")(place, name, value)
      .cast<double>();
}

inline std::string text_argument(const char* place, const char* name, const py::object& value) {
  return py::module_::import("siliconprof.arguments")
      .attr("text")(place, name, value)
      .cast<std::string>();
}

}  // namespace siliconprof::bindings
