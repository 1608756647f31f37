#pragma once

// Where each tensor of a trace lies when those that never live at once share memory.

#include <cstdint>
#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

inline constexpr std::int64_t kNotPlanned = -1;

struct MemoryPlan {
  /// Offset of each tensor in the arena, in bytes, a multiple of 64; kNotPlanned for tensors that
  /// live throughout, for views and for those that no call uses.
  std::vector<std::int64_t> offset_bytes;
  std::int64_t arena_bytes = 0;
};

/// Places tensors by size, the largest first, each in the lowest gap between those that live with
/// it; the arena is at least the peak of their live bytes and seldom much larger.
/// Source: Y. Pisarchyk and J. Lee, "Efficient Memory Management for Deep Neural Net Inference",
/// arXiv 2001.03288, section 5 (greedy by size).
MemoryPlan plan_memory(const Trace& trace);

/// Bytes that a run takes by this plan: the arena, and what lives throughout.
std::int64_t planned_bytes(const Trace& trace);

}  // namespace siliconprof
