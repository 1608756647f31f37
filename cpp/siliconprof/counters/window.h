#pragma once

// Counters over a stretch of work.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "siliconprof/counters/counter.h"

namespace siliconprof {

struct CounterReading {
  std::string name;
  std::string unit;
  std::optional<double> value;
  std::string reason;  // why there is no value
  CounterKind kind = CounterKind::Delta;
  /// "<CounterReading rss_bytes: 1.05e+08 bytes>", or why there is no value.
  std::string summary() const;
  bool operator==(const CounterReading&) const = default;
};

/// Reads the chosen counters at start and stop. The clock, first in the table, is read last at the
/// start and first at the stop, so that wall_s doesn't hold the cost of reading the others.
class Window {
 public:
  /// Every counter of the table.
  Window();
  /// The named ones. Throws UnknownNameError.
  explicit Window(std::span<const std::string_view> names);

  void start();
  void stop();

  /// The counter's value over the window; none before stop, or when it is unavailable. Throws
  /// UnknownNameError for a name that is not a counter, ArgumentError for one not chosen.
  std::optional<double> value(std::string_view name) const;
  /// Why `value` is none; empty when it is not.
  std::string reason(std::string_view name) const;
  std::vector<CounterReading> readings() const;

 private:
  static constexpr std::size_t kMaxCounters = 32;

  std::size_t index_of(std::string_view name) const;

  std::array<double, kMaxCounters> start_{};
  std::array<double, kMaxCounters> stop_{};
  std::uint32_t chosen_ = 0;   // bit per counter, in table order
  std::uint32_t sources_ = 0;  // bit per source to read
  std::uint32_t failed_ = 0;   // bit per source that refused a read
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace siliconprof
