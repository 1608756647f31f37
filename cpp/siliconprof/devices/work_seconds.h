#pragma once

// What holds a kernel up while it works.

namespace siliconprof {

/// Memory and cores hide most of the shorter of their times, not all: as if they were independent,
/// squares add up (walk.h).
struct WorkSeconds {
  double total_s = 0.0;
  double traffic_s = 0.0;  // that its traffic would take with nothing else in the way; at most all

  /// Where the clock is slower by a small part, the kernel takes longer by as much of these.
  double clocked_s() const {
    return total_s > 0.0 ? total_s - traffic_s * (traffic_s / total_s) : 0.0;
  }
};

}  // namespace siliconprof
