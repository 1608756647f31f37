#pragma once

// What the kernel accounts to this process: CPU time, page faults, context switches, peak memory.

#include <string>

#include "siliconprof/counters/counter.h"

namespace siliconprof {

/// cpu_s, minor_faults, major_faults, voluntary_switches, involuntary_switches, peak_rss_bytes:
/// one getrusage(RUSAGE_SELF) reads all, threads included. On Linux its peak memory begins with
/// that of the program that started this one; until this one holds more, the peak is read from the
/// status file.
class UsageSource final : public CounterSource {
 public:
  /// `status` is replaced in tests.
  explicit UsageSource(std::string status = "/proc/self/status");

  std::span<const CounterInfo> counters() const override;
  Availability availability() const override { return {}; }
  bool read(double* values) override;

 private:
  std::string status_;
  double inherited_bytes_ = 0.0;  // 0: the peak is this program's own
};

}  // namespace siliconprof
