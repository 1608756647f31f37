#pragma once

// The clocks of an offloaded step (offload_queue.h), of plain seconds or of a LaneVector: what
// begins when, and what holds up what.

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "siliconprof/devices/offload_plan.h"

namespace siliconprof {

struct HostPace {
  bool is_asynchronous = true;  // as in Queue
  // How much longer issuing and an update beside it take, each; by what part of its time a transfer
  // to the host holds such an update up.
  double beside_part = 0.0;
  double arriving_part = 0.0;
};

/// Of seconds as a plain number what LaneVector has of its lanes.
inline double larger(double a, double b) { return std::max(a, b); }
inline double where_less(double a, double b, double then, double otherwise) {
  return a < b ? then : otherwise;
}

template <class Seconds>
class OffloadClocks {
 public:
  OffloadClocks(const HostPace& pace, std::size_t calls) : pace_(pace) { ends_s_.reserve(calls); }

  /// The next call of the step; returns when it begins. An update is issued by none: `issue_s` is
  /// 0.
  Seconds run(const PlacedCall& call, const Seconds& issue_s, const Seconds& seconds) {
    Seconds begin = ready_s(call);
    if (call.place != Place::Host && call.place != Place::Beside) {
      if (!pace_.is_asynchronous) wait();
      // One thread learns what another has done once that is over.
      if (call.after[kBeside] >= 0) host() = larger(host(), beside());
      issue(issue_s);
      begin = larger(begin, host());
      // A transfer without a stream of its own comes after the kernels.
      if (!call.is_early) begin = larger(begin, device());
    }
    Seconds& own = clocks_s_[static_cast<std::size_t>(call.place)];
    begin = larger(begin, own);
    // Both want the host's memory.
    if (call.place == Place::ToHost) {
      hold_up(where_less(begin, beside(), seconds * pace_.arriving_part, Seconds{}));
    }
    own = begin + seconds;
    ends_s_.push_back(own);
    if (call.pageable) host() = larger(host(), own);
    return begin;
  }

  /// The issuing thread waits for the device.
  void wait() { host() = larger(host(), device()); }

  /// When all that ran has ended.
  Seconds end_s() const {
    Seconds end = clocks_s_[kBeside];
    for (const Seconds& one : ends_s_) end = larger(end, one);
    return end;
  }

  /// Of each call so far.
  const std::vector<Seconds>& ends_s() const { return ends_s_; }
  /// By how much updates beside the pass end later than that.
  Seconds late_s() const { return late_s_; }
  Seconds device_s() const { return clocks_s_[static_cast<std::size_t>(Place::Device)]; }

 private:
  static constexpr auto kBeside = static_cast<std::size_t>(Place::Beside);

  Seconds& device() { return clocks_s_[static_cast<std::size_t>(Place::Device)]; }
  Seconds& host() { return clocks_s_[static_cast<std::size_t>(Place::Host)]; }
  Seconds& beside() { return clocks_s_[kBeside]; }

  void hold_up(const Seconds& seconds) {
    late_s_ = late_s_ + seconds;
    beside() = beside() + seconds;
  }

  // Two threads of the host slow each other for as long as both work.
  void issue(const Seconds& seconds) {
    const Seconds host_s = host();
    const Seconds beside_s = beside();
    hold_up(where_less(host_s, beside_s, seconds * pace_.beside_part, Seconds{}));
    host() = host_s + where_less(host_s, beside_s, seconds * (1.0 + pace_.beside_part), seconds);
  }

  Seconds ready_s(const PlacedCall& call) const {
    Seconds ready{};
    for (std::size_t p = 0; p < kPlaces; ++p) {
      if (call.after[p] < 0) continue;
      const Seconds& end = ends_s_[std::size_t(call.after[p])];
      ready = larger(ready, p == kBeside ? end + late_s_ : end);
    }
    return ready;
  }

  HostPace pace_;
  Seconds late_s_{};
  std::array<Seconds, kPlaces> clocks_s_{};
  std::vector<Seconds> ends_s_;
};

}  // namespace siliconprof
