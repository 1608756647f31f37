#include "gil.h"

#include <unistd.h>

#include <optional>

namespace siliconprof::bindings {
namespace {

// Python before 3.14 ends a thread that wants the lock of an interpreter that is going; glibc does
// so by an exception that unwinds its stack, and a destructor or a kernel's threads would make that
// an abort of the process. Here the thread waits for the process to end instead.
template <class Take>
void take_or_wait(Take take) {
  try {
    take();
  } catch (...) {
    for (;;) pause();
  }
}

}  // namespace

GilRelease::~GilRelease() {
  take_or_wait([this] { PyEval_RestoreThread(thread_); });
}

Poll signal_poll() {
  return [] {
    std::optional<py::gil_scoped_acquire> gil;
    take_or_wait([&gil] { gil.emplace(); });
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  };
}

}  // namespace siliconprof::bindings
