#pragma once

// The queue of an offloaded step (offload_queue.h) walked side by side, once for each assumption on
// what its numbers are off by.

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "siliconprof/devices/offload_queue.h"
#include "siliconprof/devices/passes.h"
#include "siliconprof/devices/work_seconds.h"

namespace siliconprof {

// As predicted, with every number at the good end of its interval and at the bad end, and with the
// host alone at either. Where sums of kernels have errors, the second and third have those, and the
// host as predicted.
inline constexpr std::size_t kMiddle = 0;
inline constexpr std::size_t kShortest = 1;
inline constexpr std::size_t kLongest = 2;
inline constexpr std::size_t kFastHost = 3;
inline constexpr std::size_t kSlowHost = 4;
inline constexpr std::size_t kLanes = 5;
using Lanes = std::array<double, kLanes>;

/// Seconds of the host before a call, once in a pass, which begins at a call of the device.
inline double pass_s(PassHost& passes, const PlacedCall& call, Phase phase, bool waits) {
  return call.place == Place::Device ? passes.before_s(phase, waits) : 0.0;
}

/// Seconds to issue a call and that it takes, by lane.
struct LaneTimes {
  Lanes issue_s{};
  Lanes kernel_s{};
  WorkSeconds work{};  // of the middle lane's
  Phase phase = Phase::Forward;
};

class OffloadWalks {
 public:
  /// `host_parts`: what the host takes of what is said, by lane; `times(i)`: the i-th call's.
  /// `waits`: before which calls the issuing thread waits, in order.
  template <class Times>
  OffloadWalks(std::span<const PlacedCall> calls, std::span<const std::int32_t> waits,
               const HostPace& pace, const PassCosts& costs, const Lanes& host_parts, Times times) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      OffloadQueue& queue = queues_.emplace_back(calls, pace);
      PassHost passes(costs);
      queue.run_all(waits, [&](std::size_t i, bool waits_here) {
        const LaneTimes& time = times(i);
        const double before_s = pass_s(passes, calls[i], time.phase, waits_here);
        return std::pair{host_parts[lane] * before_s + time.issue_s[lane], time.kernel_s[lane]};
      });
    }
  }

  Lanes end_s() const {
    Lanes ends{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) ends[lane] = queues_[lane].end_s();
    return ends;
  }
  /// As OffloadQueue has them.
  std::vector<double> shares_s(std::size_t lane) const { return queues_[lane].shares_s(); }

 private:
  std::vector<OffloadQueue> queues_;
};

}  // namespace siliconprof
