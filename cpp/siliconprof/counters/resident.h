#pragma once

// Resident memory of the process.

#include <atomic>
#include <mutex>
#include <string>

#include "siliconprof/counters/counter.h"

namespace siliconprof {

/// rss_bytes (level) and rss_growth_bytes (delta), from /proc/self/statm on Linux; unavailable with
/// a reason elsewhere.
class ResidentSource final : public CounterSource {
 public:
  /// `path` is replaced in tests.
  explicit ResidentSource(std::string path = "/proc/self/statm");
  ~ResidentSource() override;
  ResidentSource(const ResidentSource&) = delete;
  ResidentSource& operator=(const ResidentSource&) = delete;

  std::span<const CounterInfo> counters() const override;
  Availability availability() const override;
  bool read(double* values) override;

 private:
  void open_for_this_process();

  std::string path_;
  std::mutex opening_;
  std::atomic<int> file_ = -1;
  std::atomic<int> process_ = 0;
  double page_bytes_ = 0.0;
};

}  // namespace siliconprof
