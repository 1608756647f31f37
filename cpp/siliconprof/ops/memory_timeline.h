#pragma once

// Live memory over the calls of a trace.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "siliconprof/ops/tensor_info.h"

namespace siliconprof {

/// Live bytes while call number `call` runs, by role.
struct MemoryPoint {
  std::int32_t call;
  std::array<std::int64_t, kRoleCount> by_role_bytes;

  std::int64_t live_bytes() const;
  bool operator==(const MemoryPoint&) const = default;
};

/// A trace's points, shared between the trace and the profiles made of it; compared by content.
class MemoryTimeline {
 public:
  MemoryTimeline() = default;
  explicit MemoryTimeline(std::vector<MemoryPoint> points);

  const std::vector<MemoryPoint>& points() const;
  /// The largest live_bytes; 0 when empty.
  std::int64_t peak_bytes() const { return peak_bytes_; }
  bool operator==(const MemoryTimeline& other) const { return points() == other.points(); }

 private:
  std::shared_ptr<const std::vector<MemoryPoint>> points_;  // null: empty
  std::int64_t peak_bytes_ = 0;
};

}  // namespace siliconprof
