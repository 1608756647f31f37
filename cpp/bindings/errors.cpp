// The errors as Python sees them: siliconprof.Error, and a built-in that users expect beside it.

#include <array>

#include "bindings.h"
#include "siliconprof/core/error.h"

namespace siliconprof::bindings {
namespace {

template <class E>
void bind_error(py::module_& module, const char* name, const char* doc, py::tuple bases) {
  const std::string qualified = "siliconprof." + std::string(name);
  static PyObject* type = nullptr;
  type = PyErr_NewExceptionWithDoc(qualified.c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) throw py::error_already_set();
  module.add_object(name, type);
  // NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11's signature
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const E& error) {
      PyErr_SetString(type, error.what());
    }
  });
}

py::tuple both(const py::module_& module, PyObject* builtin) {
  return py::make_tuple(module.attr("Error"), py::reinterpret_borrow<py::object>(builtin));
}

}  // namespace

// Translators run last-registered first, so the base comes first here.
void bind_errors(py::module_& module) {
  bind_error<Error>(module, "Error", "Base of every error of siliconprof.",
                    py::make_tuple(py::reinterpret_borrow<py::object>(PyExc_Exception)));
  bind_error<ShapeError>(module, "ShapeError", "A size is wrong or doesn't chain.",
                         both(module, PyExc_ValueError));
  bind_error<DtypeError>(module, "DtypeError", "A dtype is not the one needed, or is lacking.",
                         both(module, PyExc_ValueError));
  bind_error<ArgumentError>(module, "ArgumentError", "An argument's value makes no sense.",
                            both(module, PyExc_ValueError));
  bind_error<UnknownNameError>(module, "UnknownNameError", "A name that isn't in the table.",
                               both(module, PyExc_LookupError));
  bind_error<DeviceError>(module, "DeviceError", "A device's or framework's numbers are wrong.",
                          both(module, PyExc_ValueError));
  bind_error<RecordError>(module, "RecordError", "A saved profile or recorded table is wrong.",
                          both(module, PyExc_ValueError));
  bind_error<EngineUnavailable>(module, "EngineUnavailable", "An engine can't run here.",
                                both(module, PyExc_RuntimeError));
  bind_error<CounterUnavailable>(module, "CounterUnavailable", "A counter can't be read here.",
                                 both(module, PyExc_RuntimeError));
}

}  // namespace siliconprof::bindings
