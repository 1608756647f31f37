#pragma once

// How much memory a trace needs, call by call.

#include <array>
#include <cstdint>
#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Live bytes while call number `call` runs, by role.
struct MemoryPoint {
  std::int32_t call;
  std::array<std::int64_t, kRoleCount> by_role_bytes;

  std::int64_t live_bytes() const;
  bool operator==(const MemoryPoint&) const = default;
};

/// One point per call. Inputs, parameters and optimizer states live throughout; any other tensor
/// from its first use to its last; a tensor that is written and never read is a result and lives on
/// to the end. Exact sizes: no allocator's rounding.
std::vector<MemoryPoint> memory_timeline(const Trace& trace);

/// The largest live_bytes of the timeline; 0 for an empty trace.
std::int64_t peak_memory_bytes(const Trace& trace);

}  // namespace siliconprof
