#include "siliconprof/devices/lane_queue.h"

namespace siliconprof {

LaneVector::LaneVector(const Lanes& lanes) {
  for (std::size_t i = 0; i < kLanes; ++i) pairs_[i / 2][i % 2] = lanes[i];
}

Lanes LaneVector::lanes() const {
  Lanes found{};
  for (std::size_t i = 0; i < kLanes; ++i) found[i] = pairs_[i / 2][i % 2];
  return found;
}

namespace {

// On copies of the clocks, which then stay in registers.
template <bool kFollows>
void run_all(std::span<const std::int32_t> order, std::span<const LaneKernel> kernels,
             LaneVector& host, LaneVector& device) {
  LaneVector host_s = host;
  LaneVector device_s = device;
  for (const std::int32_t place : order) {
    const LaneKernel& kernel = kernels[std::size_t(place)];
    if constexpr (kFollows) host_s = larger(host_s, device_s);
    host_s = host_s + kernel.issue_s;
    device_s = larger(host_s, device_s) + kernel.kernel_s;
  }
  host = host_s;
  device = device_s;
}

}  // namespace

void LaneQueue::run(std::span<const std::int32_t> order, std::span<const LaneKernel> kernels) {
  if (asynchronous_) {
    run_all<false>(order, kernels, host_s_, device_s_);
  } else {
    run_all<true>(order, kernels, host_s_, device_s_);
  }
}

}  // namespace siliconprof
