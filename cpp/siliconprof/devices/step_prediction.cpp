#include "siliconprof/devices/step_prediction.h"

#include <algorithm>
#include <array>

namespace siliconprof {
namespace {

// As predicted, with every number at the good end of its interval, and at the bad end.
constexpr std::size_t kLanes = 3;
struct LaneTimes {
  std::array<double, kLanes> issue_s;
  std::array<double, kLanes> kernel_s;
};

std::vector<LaneTimes> times_of(const Model& model, const StepSummary& step) {
  std::vector<LaneTimes> times;
  times.reserve(step.kinds.size());
  const double error = model.rates().launch_relative_error;
  for (const CallKind& kind : step.kinds) {
    const KernelTime kernel = model.kernel_time(kind.call, kind.cost);
    const double issue_s = model.issue_s(kind.call);
    times.push_back({{issue_s, issue_s * (1.0 - error), issue_s * (1.0 + error)},
                     {kernel.seconds, kernel.interval_s.lo, kernel.interval_s.hi}});
  }
  return times;
}

// The queue of queue.h, three side by side: each waits for its own last kernel alone, so they cost
// little more than one.
std::array<double, kLanes> walk(const StepSummary& step, const std::vector<LaneTimes>& times,
                                bool asynchronous) {
  std::array<double, kLanes> host_s{};
  std::array<double, kLanes> device_s{};
  for (const std::int32_t kind : step.order) {
    const LaneTimes& time = times[std::size_t(kind)];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double issued_s = (asynchronous ? host_s[lane] : device_s[lane]) + time.issue_s[lane];
      host_s[lane] = issued_s;
      device_s[lane] = std::max(issued_s, device_s[lane]) + time.kernel_s[lane];
    }
  }
  return device_s;
}

}  // namespace

StepPrediction predict_step(const Model& model, const StepSummary& step) {
  model.check_order_free("sweep");
  const auto [time_s, shortest_s, longest_s] =
      walk(step, times_of(model, step), model.is_asynchronous());
  return {time_s, {shortest_s, longest_s}};
}

}  // namespace siliconprof
