#pragma once

// numpy arrays at the boundary: borrowed when they are just right, refused otherwise. A profiler
// must not copy silently.

#include <pybind11/numpy.h>

#include "bindings.h"
#include "siliconprof/core/tensor.h"
#include "siliconprof/kernels/cpu/bound_trace.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof::bindings {

/// pybind11 before 2.12 takes the arrays of numpy 2 for something else and returns wrong numbers
/// without an error.
inline constexpr bool kReadsNumpy2 = PYBIND11_VERSION_HEX >= 0x020C0000;

/// Throws ImportError for a numpy that this build can't read.
void check_numpy();

/// Borrows the array. `wanted` decides what 16-bit integers mean: bfloat16 crosses as uint16.
/// Throws ArgumentError for an object that is no array or not C-contiguous, DtypeError for a dtype
/// other than `wanted`'s; both name `argument`.
TensorView borrow(const py::handle& object, Dtype wanted, const std::string& argument);

/// The inputs of a trace, in order, borrowed from as many arrays. Throws as borrow does, and
/// ArgumentError for more of them than the trace has inputs.
std::vector<TensorView> borrow_inputs(const Trace& trace, const std::vector<py::object>& arrays);

/// A new array for the tensor's contents.
py::array array_for(const TensorView& view);

/// A trace with memory and kernels, `given` for its inputs. Other threads run meanwhile.
cpu::BoundTrace bind_to(const Trace& trace, const cpu::Engine& engine, int threads,
                        std::span<const TensorView> given, const Poll& poll);

/// An array over the tensor's own memory, which `owner` keeps alive.
py::array view_as_array(const TensorView& view, const py::handle& owner);

}  // namespace siliconprof::bindings
