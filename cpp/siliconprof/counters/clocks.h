#pragma once

// Wall time and CPU time of the process, from the POSIX clocks.

#include "siliconprof/counters/counter.h"

namespace siliconprof {

/// wall_s: CLOCK_MONOTONIC.
class ClockSource final : public CounterSource {
 public:
  std::span<const CounterInfo> counters() const override;
  Availability availability() const override { return {}; }
  bool read(double* values) override;
};

}  // namespace siliconprof
