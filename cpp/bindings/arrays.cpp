#include "arrays.h"

#include "gil.h"
#include "siliconprof/core/error.h"

namespace siliconprof::bindings {
namespace {

// numpy's type code for each dtype; bfloat16 has none and travels as uint16.
const char* type_code(Dtype dtype) {
  switch (dtype) {
    case Dtype::Float64:
      return "float64";
    case Dtype::Float32:
    case Dtype::Tf32:
      return "float32";
    case Dtype::Float16:
      return "float16";
    case Dtype::BFloat16:
      return "uint16";
    case Dtype::Int32:
      return "int32";
  }
  return "";
}

std::vector<py::ssize_t> sizes_of(const TensorView& view) {
  const auto sizes = view.shape.view();
  return {sizes.begin(), sizes.end()};
}

std::string text(const py::handle& object) { return py::str(object).cast<std::string>(); }

}  // namespace

void check_numpy() {
  if (kReadsNumpy2) return;
  const std::string version = text(py::module_::import("numpy").attr("__version__"));
  if (version.starts_with("1.")) return;
  throw py::import_error("[siliconprof] this build reads numpy 1 and found numpy " + version +
                         "; needed: the interpreter it was built for, or a build with pybind11 "
                         "2.12 or later");
}

TensorView borrow(const py::handle& object, Dtype wanted, const std::string& argument) {
  const std::string place = "[inputs] " + argument + " ";
  if (!py::isinstance<py::array>(object)) {
    throw ArgumentError(place + "is a " + text(py::type::of(object).attr("__name__")) +
                        "; needed: a numpy array");
  }
  const auto array = py::reinterpret_borrow<py::array>(object);
  if (!array.dtype().equal(py::dtype(type_code(wanted)))) {
    throw DtypeError(place + "is " + text(array.dtype()) + "; needed: " + type_code(wanted) +
                     " (for " + std::string(name(wanted)) + ")");
  }
  if (!(array.flags() & py::array::c_style)) {
    throw ArgumentError(place + "is not C-contiguous (strides " + text(array.attr("strides")) +
                        "); needed: a contiguous array, as numpy.ascontiguousarray makes");
  }
  const std::vector<std::int64_t> sizes(array.shape(), array.shape() + array.ndim());
  return {const_cast<void*>(array.data()), wanted, Shape(sizes)};
}

std::vector<TensorView> borrow_inputs(const Trace& trace, const std::vector<py::object>& arrays) {
  std::vector<TensorView> given;
  for (const TensorInfo& info : trace.tensors()) {
    if (!cpu::is_given(info) || given.size() == arrays.size()) continue;
    given.push_back(borrow(arrays[given.size()], info.dtype, info.name));
  }
  if (given.size() != arrays.size()) {
    throw ArgumentError("[inputs] " + std::to_string(arrays.size()) +
                        " inputs; needed: " + std::to_string(cpu::input_count(trace)));
  }
  return given;
}

py::array array_for(const TensorView& view) {
  return {py::dtype(type_code(view.dtype)), sizes_of(view)};
}

cpu::BoundTrace bind_to(const Trace& trace, const cpu::Engine& engine, int threads,
                        std::span<const TensorView> given, const Poll& poll) {
  const GilRelease free;
  return {trace, engine, threads, given, poll};
}

py::array view_as_array(const TensorView& view, const py::handle& owner) {
  return {py::dtype(type_code(view.dtype)), sizes_of(view), view.data, owner};
}

}  // namespace siliconprof::bindings
