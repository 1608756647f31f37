#include "siliconprof/devices/step_prediction.h"

#include <algorithm>
#include <span>

#include "siliconprof/devices/lane_queue.h"

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

std::int32_t next(std::span<const std::int32_t> places, std::size_t done, std::size_t otherwise) {
  return done < places.size() ? places[done] : std::int32_t(otherwise);
}

std::vector<LaneKernel> kernels_of(const std::vector<LaneTimes>& times) {
  std::vector<LaneKernel> kernels;
  kernels.reserve(times.size());
  for (const LaneTimes& time : times) {
    kernels.push_back({LaneVector(time.issue_s), LaneVector(time.kernel_s)});
  }
  return kernels;
}

// Stretches of calls with nothing but their launches between them, one after the other.
Lanes walk(const StepSummary& step, const std::vector<LaneTimes>& times, const Host& host,
           const Lanes& pace) {
  const std::vector<LaneKernel> kernels = kernels_of(times);
  const std::vector<std::int32_t>& waits = step.waits[host.is_eager ? 1 : 0];
  const std::span<const std::int32_t> order = step.order;
  PassHost passes(host.passes);
  LaneQueue queue(host.pace.is_asynchronous);
  std::size_t waited = 0;
  std::size_t begun = 0;
  for (std::size_t i = 0; i < order.size();) {
    const bool waits_here = next(waits, waited, order.size()) == std::int32_t(i);
    if (waits_here) ++waited;
    if (next(step.begins, begun, order.size()) == std::int32_t(i)) ++begun;
    const double pass_s = passes.before_s(times[std::size_t(order[i])].phase, waits_here);
    if (waits_here) queue.wait();
    queue.work(LaneVector(pace) * pass_s);
    const auto end = std::size_t(
        std::min(next(waits, waited, order.size()), next(step.begins, begun, order.size())));
    queue.run(order.subspan(i, end - i), kernels);
    i = end;
  }
  return queue.end_s();
}

// The same where some of the step is on a host.
Lanes walk_offloaded(const StepSummary& step, const std::vector<LaneTimes>& times, const Host& host,
                     const Lanes& pace) {
  const std::vector<LaneKernel> kernels = kernels_of(times);
  const std::vector<std::int32_t>& waits = step.waits[host.is_eager ? 1 : 0];
  const LaneVector paced(pace);
  PassHost passes(host.passes);
  OffloadClocks<LaneVector> clocks(host.pace, step.order.size());
  std::size_t waited = 0;
  for (std::size_t i = 0; i < step.order.size(); ++i) {
    const bool waits_here = next(waits, waited, step.order.size()) == std::int32_t(i);
    if (waits_here) {
      ++waited;
      clocks.wait();
    }
    const auto kind = std::size_t(step.order[i]);
    const double before_s = pass_s(passes, step.placed[i], times[kind].phase, waits_here);
    const LaneKernel& kernel = kernels[kind];
    clocks.run(step.placed[i], paced * before_s + kernel.issue_s, kernel.kernel_s);
  }
  return clocks.end_s().lanes();
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
