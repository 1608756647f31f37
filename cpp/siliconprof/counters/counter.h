#pragma once

// A counter is a number that the machine keeps: read at the start and at the end of a window. What
// can't be read is unavailable with a reason and a remedy, never 0.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace siliconprof {

/// Delta: the window's value is end − start. Level: it is the value at the end.
enum class CounterKind : std::uint8_t { Delta, Level };
/// "delta", "level".
std::string_view name(CounterKind kind);

struct CounterInfo {
  std::string_view name;  // carries its unit: "wall_s", "rss_bytes"; counts have none
  std::string_view unit;  // "s", "bytes", "count"
  std::string_view scope;
  std::string_view source;
  std::string_view accuracy;
  CounterKind kind;
};

struct Availability {
  bool available = true;
  std::string reason;
  std::string remedy;
};

/// Counters that one system call reads together. A new counter is a row in a source, or a source
/// file and a line in table.cpp.
class CounterSource {
 public:
  virtual ~CounterSource() = default;
  virtual std::span<const CounterInfo> counters() const = 0;
  virtual Availability availability() const = 0;
  /// Writes one value per counter; false when the system refused. Only called while available; does
  /// not allocate.
  virtual bool read(double* values) = 0;
};

}  // namespace siliconprof
