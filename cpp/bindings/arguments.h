#pragma once

// Arguments of compiled methods, refused in the words of python/siliconprof/arguments.py where
// pybind11 would say that no overload fits.

#include <cmath>
#include <cstdint>
#include <string>

#include "bindings.h"
#include "siliconprof/core/error.h"

namespace siliconprof::bindings {

/// "[bind] call = 'two' (str): a whole number is needed".
[[noreturn]] inline void refuse(const char* place, const char* name, const py::handle& found,
                                const char* needed) {
  constexpr std::size_t longest = 60;
  std::string text = py::repr(found).cast<std::string>();
  if (text.size() > longest) text = text.substr(0, longest - 3) + "...";
  throw ArgumentError("[" + std::string(place) + "] " + name + " = " + text + " (" +
                      Py_TYPE(found.ptr())->tp_name + "): " + needed + " is needed");
}

/// A truth value is none.
inline std::int64_t whole_argument(const char* place, const char* name, const py::handle& value) {
  constexpr const char* needed = "a whole number";
  if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr())) refuse(place, name, value, needed);
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) throw py::error_already_set();
  const long long found = PyLong_AsLongLong(number.ptr());
  if (found == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(place, name, value, "a whole number of 64 bits");
  }
  return found;
}

/// A finite number that float64 holds as it is; no truth value and no text.
inline double real_argument(const char* place, const char* name, const py::handle& value) {
  constexpr const char* needed = "a finite number";
  if (PyBool_Check(value.ptr()) || PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr())) {
    refuse(place, name, value, needed);
  }
  const double found = PyFloat_AsDouble(value.ptr());
  if (found == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(place, name, value, needed);
  }
  if (!std::isfinite(found)) refuse(place, name, value, needed);
  if (PyLong_Check(value.ptr()) && !py::int_(py::float_(found)).equal(value)) {
    refuse(place, name, value, "a number that float64 holds");
  }
  return found;
}

inline std::string text_argument(const char* place, const char* name, const py::handle& value) {
  if (!PyUnicode_Check(value.ptr())) refuse(place, name, value, "a text");
  return value.cast<std::string>();
}

}  // namespace siliconprof::bindings
