#include "window_type.h"

#include <array>
#include <new>

#include "siliconprof/core/error.h"
#include "siliconprof/counters/window.h"

namespace siliconprof::bindings {
namespace {

struct WindowObject {
  PyObject_HEAD Window window;
};

constexpr std::size_t kMaxNames = 64;

Window& window_of(PyObject* self) { return reinterpret_cast<WindowObject*>(self)->window; }

std::string repr_of(PyObject* object) { return std::string(py::repr(py::handle(object))); }

// Its items. Throws ArgumentError for what has none, and for one str, whose items are letters.
py::object sequence_of(PyObject* names) {
  if (!PyUnicode_Check(names)) {
    auto sequence = py::reinterpret_steal<py::object>(PySequence_Fast(names, ""));
    if (sequence) return sequence;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
    PyErr_Clear();
  }
  throw ArgumentError("[window] counters is " + repr_of(names) +
                      "; needed: a sequence of names, or None for all");
}

std::string_view name_of(PyObject* item) {
  if (!PyUnicode_Check(item)) {
    throw ArgumentError("[window] a counter is " + repr_of(item) + "; needed: a name, as wall_s");
  }
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(item, &length);
  if (text == nullptr) throw py::error_already_set();
  return {text, std::size_t(length)};
}

// A window of the named counters; any sequence of str. Throws what Window throws.
Window window_of_names(PyObject* names) {
  if (names == nullptr || names == Py_None) return Window();
  const py::object sequence = sequence_of(names);
  const auto count = std::size_t(PySequence_Fast_GET_SIZE(sequence.ptr()));
  if (count > kMaxNames) {
    throw ArgumentError("[window] " + std::to_string(count) + " counters; needed: at most " +
                        std::to_string(kMaxNames));
  }
  std::array<std::string_view, kMaxNames> views;
  for (std::size_t i = 0; i < count; ++i) {
    views[i] = name_of(PySequence_Fast_GET_ITEM(sequence.ptr(), Py_ssize_t(i)));
  }
  return Window(std::span(views).first(count));
}

// Errors thrown outside pybind11's dispatch have to be set by hand.
void set_python_error(const py::module_& module) {
  try {
    throw;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const UnknownNameError& error) {
    PyErr_SetString(py::object(module.attr("UnknownNameError")).ptr(), error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(py::object(module.attr("ArgumentError")).ptr(), error.what());
  }
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"counters", nullptr};
  PyObject* counters = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:Window", const_cast<char**>(names),
                                   &counters)) {
    return nullptr;
  }
  try {
    const Window window = window_of_names(counters);
    PyObject* self = type->tp_alloc(type, 0);
    if (self != nullptr) new (&window_of(self)) Window(window);
    return self;
  } catch (...) {
    set_python_error(py::module_::import("siliconprof._core"));
    return nullptr;
  }
}

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  window_of(self).~Window();
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* enter(PyObject* self, PyObject*) {
  window_of(self).start();
  return Py_NewRef(self);
}

PyObject* leave(PyObject* self, PyObject* const*, Py_ssize_t) {
  window_of(self).stop();
  Py_RETURN_NONE;
}

// w.minor_faults: what the type doesn't have is a counter, or an AttributeError (hasattr, copy).
py::object attribute(const py::handle& self, const std::string& name) {
  try {
    return py::cast(window_of(self.ptr()).value(name));
  } catch (const UnknownNameError& error) {
    throw py::attribute_error(error.what());
  }
}

PyMethodDef fast_methods[] = {
    {"__enter__", enter, METH_NOARGS, "__enter__($self)\n--\n\nReads the counters."},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(leave)), METH_FASTCALL,
     "__exit__($self, *exception)\n--\n\nReads the counters again."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char*>(
         "Window(counters=None)\n--\n\n"
         "Counters over a stretch of code: `with Window() as w: work()`, then "
         "w.minor_faults,\nw.rss_bytes... each a number, or None with "
         "w.reason(name).\n\nUnits: as the names end: wall_s in seconds, rss_bytes in bytes; "
         "counts have none.\nRaises: UnknownNameError for a counter that isn't in the "
         "table, ArgumentError for counters\nthat are no sequence of names.")},
    {Py_tp_new, reinterpret_cast<void*>(make)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_methods, fast_methods},
    {0, nullptr}};

PyType_Spec spec{"siliconprof._core.Window", sizeof(WindowObject), 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

void bind_window(py::module_& module) {
  const auto type = py::reinterpret_steal<py::object>(PyType_FromSpec(&spec));
  if (!type) throw py::error_already_set();
  module.attr("Window") = type;
  const auto method = [&type](const char* name, auto function, const char* doc, auto... extra) {
    type.attr(name) =
        py::cpp_function(function, py::name(name), py::is_method(type), doc, extra...);
  };
  method("__getattr__", &attribute, "The counter of that name.", py::arg("name"));
  method(
      "value",
      [](const py::handle& self, const std::string& name) {
        return window_of(self.ptr()).value(name);
      },
      "The counter's value; None while open or unavailable.\n\nRaises: UnknownNameError, "
      "ArgumentError for a counter that was not chosen.",
      py::arg("name"));
  method(
      "reason",
      [](const py::handle& self, const std::string& name) {
        return window_of(self.ptr()).reason(name);
      },
      "Why there is no value; empty if there is.", py::arg("name"));
  method(
      "readings", [](const py::handle& self) { return window_of(self.ptr()).readings(); },
      "All chosen counters, in table order.");
}

}  // namespace siliconprof::bindings
