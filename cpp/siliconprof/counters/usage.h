#pragma once

// What the kernel accounts to this process: CPU time, page faults, context switches, peak memory.

#include "siliconprof/counters/counter.h"

namespace siliconprof {

/// cpu_s, minor_faults, major_faults, voluntary_switches, involuntary_switches, peak_rss_bytes:
/// one getrusage(RUSAGE_SELF) reads all, threads included.
class UsageSource final : public CounterSource {
 public:
  std::span<const CounterInfo> counters() const override;
  Availability availability() const override { return {}; }
  bool read(double* values) override;
};

}  // namespace siliconprof
