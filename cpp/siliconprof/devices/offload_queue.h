#pragma once

// A third clock and more beside the two of queue.h: the device, both ways of the link, the host's
// thread, which issues all work and updates parameters, and a thread beside it. Each does its calls
// in order; a call begins once it is issued and what it waits for has ended.

#include <array>
#include <span>
#include <vector>

#include "siliconprof/devices/offload_clocks.h"
#include "siliconprof/devices/offload_plan.h"

namespace siliconprof {

class OffloadQueue {
 public:
  /// `calls` must outlive this.
  OffloadQueue(std::span<const PlacedCall> calls, const HostPace& pace);

  /// The next call of the step. An update is issued by none: `issue_s` is 0.
  void run(double issue_s, double seconds);
  /// The issuing thread waits for the device.
  void wait() { clocks_.wait(); }
  /// The whole step. `waits`: before which calls it waits, in order; `time(i, waits)`: what
  /// run takes.
  template <class Time>
  void run_all(std::span<const std::int32_t> waits, Time time) {
    auto next = waits.begin();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const bool waits_here = next != waits.end() && *next == std::int32_t(i);
      if (waits_here) {
        wait();
        ++next;
      }
      const auto [issue_s, seconds] = time(i, waits_here);
      run(issue_s, seconds);
    }
  }

  /// When all that ran has ended.
  double end_s() const { return clocks_.end_s(); }
  /// Of each call, the seconds that the step takes for it; they sum to the step. Time is the
  /// device's until its last kernel has ended, then the updates' while one runs, then the link's.
  std::vector<double> shares_s() const;

 private:
  struct Stretch {
    double begin_s = 0.0;
    double end_s = 0.0;
  };

  void share_updates(std::vector<double>& shares, std::vector<Stretch>& free) const;
  void share_link(std::vector<double>& shares, const std::vector<Stretch>& free) const;

  std::span<const PlacedCall> calls_;
  OffloadClocks<double> clocks_;
  std::vector<double> begins_s_;
};

}  // namespace siliconprof
