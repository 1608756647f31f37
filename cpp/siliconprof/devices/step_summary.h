#pragma once

// A step as a model reads it: equal calls once. A step of GPT-2 XL makes two thousand calls, of
// some hundred kinds; what a kernel takes is asked once for each kind.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "siliconprof/devices/offload_queue.h"
#include "siliconprof/devices/passes.h"
#include "siliconprof/devices/power.h"
#include "siliconprof/devices/rates.h"
#include "siliconprof/devices/work_seconds.h"
#include "siliconprof/ops/op.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Calls of one op, size, format and phase, which a model can't tell apart.
struct CallKind {
  OpCall call;  // its tensors are unset
  Cost cost;
  std::int64_t count = 0;
  PlacedCall placed;  // but for what it waits for
};

struct StepSummary {
  std::vector<CallKind> kinds;         // in order of their first call
  std::vector<std::int32_t> order;     // of each call, its place in `kinds`
  std::int64_t peak_bytes = 0;         // that its tensors take of the device at once
  std::int64_t peak_bytes_shared = 0;  // and where the host's memory is the device's
  std::vector<std::int32_t> begins;    // calls of another phase than the one before
  // Where the host waits (host_waits.h), under a framework that isn't eager and one that is.
  std::array<std::vector<std::int32_t>, 2> waits;
  std::vector<PlacedCall> placed;  // of each call; empty where nothing is on a host
};

StepSummary summarise(const Trace& trace);

/// Calls of another phase than the one before, in order; the first one is.
std::vector<std::int32_t> phase_begins(const std::vector<OpCall>& calls);

/// Seconds of a step, by phase and by op class; the time is the sum over either.
struct StepTime {
  double time_s = 0.0;
  std::array<double, kPhaseCount> by_phase_s{};
  std::array<double, kOpClassCount> by_class_s{};
};

/// What a call of one kind costs the host and takes on the device, in seconds.
struct KindTime {
  double issue_s = 0.0;
  double kernel_s = 0.0;
  WorkSeconds work{};  // of it
};

/// How a framework drives a device.
struct Host {
  HostPace pace;
  bool is_eager = false;
  bool is_device = false;  // a CPU is its own host: what goes there stays
  PassCosts passes{};
};

/// Whether some of the step runs beside a device that is driven so.
inline bool is_offloaded(const StepSummary& step, const Host& host) {
  return !step.placed.empty() && !host.is_device;
}

/// The step through a queue (queue.h, offload_queue.h); one time for each kind.
StepTime step_time(const StepSummary& step, std::span<const KindTime> times, const Host& host);

/// What the host does once in a pass of this step, of what it does in a step's.
PassCosts costs_of(const PassCosts& costs, const StepSummary& step);

/// As of its trace (memory_error.h).
bool convolves(const StepSummary& step);

/// What the clock stretches of a kernel of that kind; nothing of one that isn't the device's.
inline double clocked_s(const CallKind& kind, const WorkSeconds& kernel) {
  return kind.placed.place == Place::Device ? clocked_s(kind.call, kernel) : 0.0;
}

/// Bytes of the operands of all kernels on the device, added up.
double touched_bytes(const StepSummary& step);

/// `works(i)`: what a kernel of the i-th kind works at the full clock, `step_s`: seconds of the
/// step; `errors`: of those, where they are asked for.
template <class Works>
PoweredWork powered_work(const PowerUnit& unit, const StepSummary& step, double step_s, Works works,
                         const SumErrors* errors = nullptr) {
  PoweredWork work;
  work.step_s = step_s;
  for (std::size_t i = 0; i < step.kinds.size(); ++i) {
    const CallKind& kind = step.kinds[i];
    if (kind.placed.place != Place::Device) continue;
    const double error = errors ? errors->of(kind.call) : 0.0;
    work.add(unit, kind.call, kind.cost, works(i), double(kind.count), error);
  }
  return work;
}

/// How much longer what the clock stretches takes at the clock that power allows, as a part; 0 at
/// the full clock.
template <class Works>
double longer_by_power(const PowerUnit& unit, const StepSummary& step, double step_s, Works works) {
  return 1.0 / sustained_clock(powered_work(unit, step, step_s, works), unit) - 1.0;
}

}  // namespace siliconprof
