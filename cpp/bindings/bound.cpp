#include <atomic>
#include <memory>

#include "arrays.h"
#include "bindings.h"
#include "siliconprof/core/clock.h"
#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/bound_trace.h"
#include "siliconprof/kernels/cpu/cpu_backend.h"
#include "siliconprof/kernels/cpu/fork_guard.h"

namespace siliconprof::bindings {
namespace {

// Holds all that a call needs, so that calling allocates nothing and checks only what can change.
class Bound {
 public:
  Bound(Trace trace, std::vector<py::object> inputs, const std::string& engine, int threads)
      : trace_(std::move(trace)),
        inputs_(std::move(inputs)),
        threads_(cpu::engine_threads(cpu::find_engine(engine), threads)),
        bound_(trace_, cpu::find_engine(engine), threads_, borrow_inputs(trace_, inputs_), poll_) {}
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  void run() {
    if (running_.exchange(true)) {
      throw ArgumentError(
          "[bind] this bound trace is running in another thread; needed: one bound trace for each "
          "thread");
    }
    const std::unique_ptr<std::atomic<bool>, Reset> reset(&running_);
    cpu::guard_against_fork(threads_);
    const py::gil_scoped_release free;
    if (trace_.calls().size() == 1) return bound_.run(0, poll_);
    double last_poll_s = clock_.now_s();
    for (std::size_t call = 0; call < trace_.calls().size(); ++call) {
      bound_.run(call, poll_);
      const double now_s = clock_.now_s();
      if (now_s - last_poll_s < kPollPeriod_s) continue;
      poll_();
      last_poll_s = now_s;
    }
  }

  static std::vector<py::object> inputs(const py::object& self) {
    const auto& bound = self.cast<const Bound&>();
    if (!bound.inputs_.empty()) return bound.inputs_;
    std::vector<py::object> arrays;
    for (std::size_t id = 0; id < bound.trace_.tensors().size(); ++id) {
      if (!cpu::is_given(bound.trace_.tensors()[id])) continue;
      arrays.push_back(view_as_array(bound.bound_.view(TensorId(id)), self));
    }
    return arrays;
  }

  static std::vector<py::array> results(const py::object& self) {
    const auto& bound = self.cast<const Bound&>();
    std::vector<py::array> arrays;
    for (const TensorId id : cpu::result_ids(bound.trace_)) {
      arrays.push_back(view_as_array(bound.bound_.view(id), self));
    }
    return arrays;
  }

 private:
  struct Reset {
    void operator()(std::atomic<bool>* running) const { running->store(false); }
  };

  const Trace trace_;
  const std::vector<py::object> inputs_;  // whose memory is borrowed
  const int threads_;
  const Poll poll_ = signal_poll();
  SteadyClock clock_;
  const cpu::BoundTrace bound_;
  std::atomic<bool> running_ = false;
};

}  // namespace

void bind_bound(py::module_& module) {
  py::class_<Bound>(
      module, "BoundTrace",
      "A trace with memory and kernels behind it: calling it runs it. Made once, called often: a "
      "call takes about a microsecond beside its kernels and allocates nothing.\n\n`inputs` and "
      "`results` are arrays over the memory that calls read and write; with no inputs given it is "
      "made and filled with uniform numbers. Given arrays are borrowed, never copied.\nRaises: "
      "ShapeError, DtypeError, ArgumentError, EngineUnavailable; ArgumentError when two threads "
      "call it at once.")
      .def(py::init<Trace, std::vector<py::object>, const std::string&, int>(), py::arg("trace"),
           py::arg("inputs") = std::vector<py::object>{}, py::arg("engine") = "openblas",
           py::arg("threads") = 0)
      .def("__call__", &Bound::run, "Runs every call of the trace, in order.")
      .def_property_readonly("inputs", &Bound::inputs,
                             "The arrays that a call reads: those given, or its own.")
      .def_property_readonly("results", &Bound::results,
                             "The arrays that a call writes, as the trace's results.");
}

}  // namespace siliconprof::bindings
