#include <atomic>
#include <memory>

#include "arguments.h"
#include "arrays.h"
#include "bindings.h"
#include "gil.h"
#include "siliconprof/core/clock.h"
#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/cpu_backend.h"
#include "siliconprof/ops/liveness.h"

namespace siliconprof::bindings {
namespace {

// Holds all that a call needs, so that calling allocates nothing and checks only what can change.
class Bound {
 public:
  Bound(Trace trace, std::vector<py::object> inputs, const std::string& engine, int threads)
      : trace_(std::move(trace)),
        inputs_(std::move(inputs)),
        bound_(bind_to(trace_, cpu::find_engine(engine),
                       cpu::engine_threads(cpu::find_engine(engine), threads),
                       borrow_inputs(trace_, inputs_), poll_)),
        seconds_(trace_.calls().size()) {}
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  void run() {
    const Running running = start();
    const GilRelease free;
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

  /// The calls from `begin` to before `end`, each one's seconds kept.
  void run_timed(const py::object& first, const py::object& past) {
    const std::int64_t begin = whole_argument("bind", "begin", first);
    const std::int64_t end = whole_argument("bind", "end", past);
    if (begin < 0 || begin > end || end > std::int64_t(seconds_.size())) {
      throw ArgumentError("[bind] calls " + std::to_string(begin) + " to " + std::to_string(end) +
                          "; needed: a range within 0 to " + std::to_string(seconds_.size()));
    }
    const Running running = start();
    const GilRelease free;
    double before_s = clock_.now_s();
    double last_poll_s = before_s;
    for (auto call = std::size_t(begin); call < std::size_t(end); ++call) {
      bound_.run(call, poll_);
      const double now_s = clock_.now_s();
      seconds_[call] = now_s - before_s;
      before_s = now_s;
      if (now_s - last_poll_s < kPollPeriod_s) continue;
      poll_();
      before_s = last_poll_s = clock_.now_s();
    }
  }

  void set_attribute(const py::object& which, const py::object& attribute,
                     const py::object& number) {
    const std::int64_t call = whole_argument("bind", "call", which);
    const std::string name = text_argument("bind", "name", attribute);
    const double value = exact_argument("bind", name, number);
    if (call < 0) {
      throw ArgumentError("[bind] call is " + std::to_string(call) + "; needed: from 0 on");
    }
    const Running running = start();
    bound_.set_attribute(std::size_t(call), name, value);
  }

  static py::array seconds(const py::object& self) {
    auto& bound = self.cast<Bound&>();
    return view_as_array(
        {bound.seconds_.data(), Dtype::Float64, {std::int64_t(bound.seconds_.size())}}, self);
  }

  static py::array tensor(const py::object& self, const py::object& which) {
    const auto& bound = self.cast<const Bound&>();
    const auto& all = bound.trace_.tensors();
    const std::int64_t number = whole_argument("bind", "id", which);
    const bool known = number >= 0 && number < std::int64_t(all.size());
    const auto id = TensorId(known ? number : kNoTensor);
    if (!known || !is_persistent(all[std::size_t(bound.trace_.owner(id))].role)) {
      throw ArgumentError("[bind] tensor " + std::to_string(number) + " of '" +
                          bound.trace_.label() +
                          "'; needed: a parameter, an optimizer's state or an input, for others "
                          "share their memory");
    }
    return view_as_array(bound.bound_.view(id), self);
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

  using Running = std::unique_ptr<std::atomic<bool>, Reset>;

  /// Until its end nobody else may run this or change it.
  Running start() {
    if (running_.exchange(true)) {
      throw ArgumentError(
          "[bind] this bound trace is running in another thread; needed: one bound trace for each "
          "thread");
    }
    Running running(&running_);
    return running;
  }

  const Trace trace_;
  const std::vector<py::object> inputs_;  // whose memory is borrowed
  const Poll poll_ = signal_poll();
  SteadyClock clock_;
  cpu::BoundTrace bound_;
  std::vector<double> seconds_;  // of each call, when it last ran timed
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
      .def("run", &Bound::run_timed, py::arg("begin"), py::arg("end"),
           "Runs the calls from `begin` to before `end`, in order, and keeps each one's `seconds`."
           "\n\nRaises: ArgumentError for a range that the trace doesn't have.")
      .def("set_attribute", &Bound::set_attribute, py::arg("call"), py::arg("name"),
           py::arg("value"),
           "From now on the call runs with this value, as an optimizer's step or a dropout's seed; "
           "the trace stays as it is.\n\nRaises: ArgumentError, UnknownNameError; ShapeError for "
           "a value that would change the shape of a tensor.")
      .def("tensor", &Bound::tensor, py::arg("id"),
           "An array over the memory of a parameter, a state or an input, by its place in the "
           "trace's tensors: what is written there, the next call reads.\n\nShapes: the "
           "tensor's; bfloat16 as uint16.\nRaises: ArgumentError for one that shares its memory.")
      .def_property_readonly("seconds", &Bound::seconds,
                             "What each call took when `run` last ran it.\n\nUnits: seconds.")
      .def_property_readonly("inputs", &Bound::inputs,
                             "The arrays that a call reads: those given, or its own.")
      .def_property_readonly("results", &Bound::results,
                             "The arrays that a call writes, as the trace's results.");
}

}  // namespace siliconprof::bindings
