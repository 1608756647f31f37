#pragma once

// Which allocator a framework has on a device, and at which limits.

#include <optional>
#include <string>
#include <variant>

#include "siliconprof/devices/buffer_cache.h"
#include "siliconprof/devices/device.h"
#include "siliconprof/devices/eager_memory.h"
#include "siliconprof/devices/heap_allocator.h"
#include "siliconprof/devices/replay.h"

namespace siliconprof {

/// PyTorch's for CUDA (allocator.h), which this model gives no limit.
struct SegmentRules {
  EagerRules eager;
};

/// PyTorch's for Apple's GPUs.
struct HeapRules {
  Watermarks marks;
};

/// MLX's.
struct CacheRules {
  CacheLimits limits;
};

using AllocatorRules = std::variant<SegmentRules, HeapRules, CacheRules>;

/// By which constants "memory.<scope>." has: workspace_bytes; high_watermark_part and
/// low_watermark_part of the device's working-set limit; limit_part and collect_part of it and
/// capacity_part of its memory. None where it has none of them, or the device no such limit. Throws
/// DeviceError for one constant without those that belong to it.
std::optional<AllocatorRules> allocator_rules(const Device& device, const Framework& framework);

/// What the trace's tensors ask for, replayed. MLX's live as long as the trace needs them: a buffer
/// is free when the last call that uses it has ended, though MLX gives it up when the GPU has done
/// that call's command buffer, up to ten of which are under way.
Replay replay(const Trace& trace, const AllocatorRules& rules);

/// What the allocator may hold, or hand out, at most; none where nothing limits it.
std::optional<std::int64_t> limit_bytes(const AllocatorRules& rules);

/// What becomes of a step that is over the limit, in a sentence; empty for one that isn't.
std::string over_limit(const AllocatorRules& rules, const Replay& found);

}  // namespace siliconprof
