#pragma once

#include "bindings.h"

namespace siliconprof::bindings {

/// Adds the type Window. It is made by hand, not by py::class_: an empty window costs two system
/// calls, and pybind11's dispatch would add as much again.
void bind_window(py::module_& module);

}  // namespace siliconprof::bindings
