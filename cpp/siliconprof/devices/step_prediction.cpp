#include "siliconprof/devices/step_prediction.h"

#include <algorithm>
#include <array>

namespace siliconprof {
namespace {

// As predicted, with every number at the good end of its interval and at the bad end, and with the
// host alone at either. Where sums of kernels have errors, the second and third have those, and the
// host as predicted.
constexpr std::size_t kMiddle = 0;
constexpr std::size_t kShortest = 1;
constexpr std::size_t kLongest = 2;
constexpr std::size_t kFastHost = 3;
constexpr std::size_t kSlowHost = 4;
constexpr std::size_t kLanes = 5;
using Lanes = std::array<double, kLanes>;
struct LaneTimes {
  Lanes issue_s;
  Lanes kernel_s;
  Phase phase;
};

std::vector<LaneTimes> times_of(const Model& model, const StepSummary& step) {
  std::vector<LaneTimes> times;
  times.reserve(step.kinds.size());
  const double error = model.rates().launch_relative_error;
  const auto& errors = model.rates().sum_errors;
  const double host_error = errors ? errors->host : 0.0;
  const auto rate =
      paging_rate(model.rates().paging, step.peak_bytes, [&] { return touched_bytes(step); });
  for (const CallKind& kind : step.kinds) {
    KernelTime kernel = model.kernel_time(kind.call, kind.cost);
    if (rate) add_paging(kernel, *rate, double(kind.cost.bytes()));
    const double issue_s = model.issue_s(kind.call);
    Lanes issues_s{issue_s, issue_s * (1.0 - error), issue_s * (1.0 + error),
                   issue_s * (1.0 - host_error), issue_s * (1.0 + host_error)};
    Interval kernel_s = kernel.interval_s;
    if (errors) {
      issues_s[kShortest] = issues_s[kLongest] = issue_s;
      const double off_s = kernel.seconds * errors->of(kind.call);
      kernel_s = {kernel.seconds - off_s, kernel.seconds + off_s};
    }
    times.push_back({issues_s,
                     {kernel.seconds, kernel_s.lo, kernel_s.hi, kernel.seconds, kernel.seconds},
                     kind.call.phase});
  }
  return times;
}

// What the host takes in each lane, as a part of what is predicted.
Lanes paces(const Rates& rates) {
  if (!rates.sum_errors) {
    const double error = rates.launch_relative_error;
    return {1.0, 1.0 - error, 1.0 + error, 1.0, 1.0};
  }
  return {1.0, 1.0, 1.0, 1.0 - rates.sum_errors->host, 1.0 + rates.sum_errors->host};
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
      const bool follows = !host.is_asynchronous;
      const double free_s = follows ? std::max(host_s[lane], device_s[lane]) : host_s[lane];
      host_s[lane] = free_s + time.issue_s[lane];
      device_s[lane] = std::max(host_s[lane], device_s[lane]) + time.kernel_s[lane];
    }
  }
  return device_s;
}

}  // namespace

StepPrediction predict_step(const Model& model, const StepSummary& step) {
  model.check_order_free("sweep");
  const std::vector<LaneTimes> times = times_of(model, step);
  const Lanes end_s = walk(step, times, model.host(), paces(model.rates()));
  const auto& power = model.rates().power;
  const auto kernel_s = [&](std::size_t i) { return times[i].kernel_s[kMiddle]; };
  const double longer = power ? longer_by_power(*power, step, end_s[kMiddle], kernel_s) : 0.0;
  const auto& errors = model.rates().sum_errors;
  double clocked_s = 0.0;
  KindSeconds off_s{};
  KindSeconds full_clock_off_s{};
  for (std::size_t i = 0; i < step.kinds.size() && (longer > 0.0 || errors); ++i) {
    const OpCall& call = step.kinds[i].call;
    double kernels_s = double(step.kinds[i].count) * kernel_s(i);
    if (errors) errors->add(full_clock_off_s, call, kernels_s);
    if (is_clocked(call)) {
      clocked_s += kernels_s;
      kernels_s *= 1.0 + longer;
    }
    if (errors) errors->add(off_s, call, kernels_s);
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
