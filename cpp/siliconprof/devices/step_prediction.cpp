#include "siliconprof/devices/step_prediction.h"

#include <algorithm>
#include <array>

namespace siliconprof {
namespace {

std::vector<LaneTimes> times_of(const Model& model, const StepSummary& step) {
  std::vector<LaneTimes> times;
  times.reserve(step.kinds.size());
  const auto rate = paging_rate(model.rates().paging, peak_bytes(step, model.rates()),
                                [&] { return touched_bytes(step); });
  for (const CallKind& kind : step.kinds) {
    CallTime time = model.call_time(kind.call, kind.cost, kind.placed);
    if (rate && kind.placed.place == Place::Device) {
      add_paging(time.kernel, *rate, double(kind.cost.bytes()));
    }
    times.push_back(lane_times(model, kind.call, kind.placed, time));
  }
  return times;
}

// The queue of queue.h, several side by side: each waits for its own last kernel alone, so they
// cost little more than one.
Lanes walk(const StepSummary& step, const std::vector<LaneTimes>& times, const Host& host,
           const Lanes& pace) {
  PassHost passes(host.passes);
  Phase phase = Phase::Forward;
  Lanes host_s{};
  Lanes device_s{};
  auto wait = step.waits[host.is_eager ? 1 : 0].begin();
  const auto last_wait = step.waits[host.is_eager ? 1 : 0].end();
  for (std::size_t i = 0; i < step.order.size(); ++i) {
    const LaneTimes& time = times[std::size_t(step.order[i])];
    const bool waits = wait != last_wait && *wait == std::int32_t(i);
    if (waits) ++wait;
    if (waits || i == 0 || time.phase != phase) [[unlikely]] {
      phase = time.phase;
      const double pass_s = passes.before_s(phase, waits);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (waits) host_s[lane] = std::max(host_s[lane], device_s[lane]);
        host_s[lane] += pace[lane] * pass_s;
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const bool follows = !host.pace.is_asynchronous;
      const double free_s = follows ? std::max(host_s[lane], device_s[lane]) : host_s[lane];
      host_s[lane] = free_s + time.issue_s[lane];
      device_s[lane] = std::max(host_s[lane], device_s[lane]) + time.kernel_s[lane];
    }
  }
  return device_s;
}

// The same where some of the step is on a host.
Lanes walk_offloaded(const StepSummary& step, const std::vector<LaneTimes>& times, const Host& host,
                     const Lanes& pace) {
  const auto time = [&](std::size_t i) -> const LaneTimes& {
    return times[std::size_t(step.order[i])];
  };
  const auto& waits = step.waits[host.is_eager ? 1 : 0];
  return OffloadWalks(step.placed, waits, host.pace, host.passes, pace, time).end_s();
}

}  // namespace

StepPrediction predict_step(const Model& model, const StepSummary& step) {
  model.check_order_free("sweep");
  const std::vector<LaneTimes> times = times_of(model, step);
  const Host host = model.host();
  const Lanes pace = paces(model.rates());
  const Lanes end_s = is_offloaded(step, host) ? walk_offloaded(step, times, host, pace)
                                               : walk(step, times, host, pace);
  const auto& power = model.rates().power;
  const auto kernel_s = [&](std::size_t i) { return times[i].kernel_s[kMiddle]; };
  const double longer = power ? longer_by_power(*power, step, end_s[kMiddle], kernel_s) : 0.0;
  const auto& errors = model.rates().sum_errors;
  double clocked_s = 0.0;
  KindSeconds off_s{};
  KindSeconds full_clock_off_s{};
  for (std::size_t i = 0; i < step.kinds.size() && (longer > 0.0 || errors); ++i) {
    const CallKind& kind = step.kinds[i];
    double kernels_s = double(kind.count) * kernel_s(i);
    if (errors) add_off(full_clock_off_s, model, kind.call, kind.placed, kernels_s);
    if (is_clocked(kind.call)) {
      clocked_s += kernels_s;
      kernels_s *= 1.0 + longer;
    }
    if (errors) add_off(off_s, model, kind.call, kind.placed, kernels_s);
  }
  const double time_s = end_s[kMiddle] + longer * clocked_s;
  if (!errors || end_s[kMiddle] <= 0.0) {
    return {time_s, {end_s[kShortest] + longer * clocked_s, end_s[kLongest] + longer * clocked_s}};
  }
  const auto shift_s = [&](std::size_t fast, std::size_t slow) {
    return Interval{end_s[kMiddle] - end_s[fast], end_s[slow] - end_s[kMiddle]};
  };
  return {time_s, step_bounds(time_s, off_s, shown(full_clock_off_s, shift_s(kShortest, kLongest)),
                              shift_s(kFastHost, kSlowHost))};
}

}  // namespace siliconprof
