#include "arrays.h"

#include <cstring>

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
  const std::string place = "[evaluate] " + argument + " ";
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

py::array to_array(const TensorView& view) {
  const auto sizes = view.shape.view();
  py::array array(py::dtype(type_code(view.dtype)),
                  std::vector<py::ssize_t>(sizes.begin(), sizes.end()));
  std::memcpy(array.mutable_data(), view.data, std::size_t(view.bytes()));
  return array;
}

}  // namespace siliconprof::bindings
