#pragma once

// Which allocator a framework has on a device, and at which limits.

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "siliconprof/devices/buffer_cache.h"
#include "siliconprof/devices/device.h"
#include "siliconprof/devices/heap_allocator.h"
#include "siliconprof/devices/replay.h"

namespace siliconprof {

/// PyTorch's for CUDA (allocator.h), which this model gives no limit.
struct SegmentRules {
  std::int64_t workspace_bytes = 0;  // of the products' library

  bool operator==(const SegmentRules&) const = default;
};

/// PyTorch's for Apple's GPUs.
struct HeapRules {
  Watermarks marks;

  bool operator==(const HeapRules&) const = default;
};

/// MLX's.
struct CacheRules {
  CacheLimits limits;

  bool operator==(const CacheRules&) const = default;
};

using AllocatorRules = std::variant<SegmentRules, HeapRules, CacheRules>;

/// By which constants "memory.<scope>." has: workspace_bytes; high_watermark_part and
/// low_watermark_part of the device's working-set limit; limit_part and collect_part of it and
/// capacity_part of its memory. None where it has none of them, or the device no such limit. Throws
/// DeviceError for one constant without those that belong to it.
std::optional<AllocatorRules> allocator_rules(const Device& device, const Framework& framework);

/// What the framework asks such an allocator for in a step of the trace. MLX's tensors live as long
/// as the trace needs them, with masks of dropout (dropout_masks.h): a buffer is free when the last
/// call that uses it has ended, though MLX gives it up when the GPU has done that call's command
/// buffer, up to ten of which are under way.
Requests requests(const Trace& trace, const AllocatorRules& rules);

/// Of the products' library; 0 where the allocator knows of none.
std::int64_t workspace_bytes(const AllocatorRules& rules);

/// Bytes of each of the requests in a step of the trace.
std::vector<std::int64_t> bytes_of(const Requests& requests, const Trace& trace,
                                   const AllocatorRules& rules);

/// What the allocator makes of them. A step that is refused something whatever is kept for later is
/// that without a limit, but for the refusal.
Replay replay(const Requests& requests, std::span<const std::int64_t> bytes,
              const AllocatorRules& rules);
Replay replay(const Trace& trace, const AllocatorRules& rules);

/// Whether the requests of a step that add up to so much at most are more than may be given out.
bool is_refused_anyway(const AllocatorRules& rules, std::int64_t most_asked_bytes);

/// The same allocator with no limit; and whether, by a replay of that, the limit changes nothing.
AllocatorRules without_limit(const AllocatorRules& rules);
bool is_within(const AllocatorRules& rules, const Replay& unlimited,
               std::span<const std::int64_t> bytes);

/// What the requests add up to at most, before anything is rounded.
std::int64_t most_asked_bytes(const Requests& requests, std::span<const std::int64_t> bytes);

/// What the allocator may hold, or hand out, at most; none where nothing limits it.
std::optional<std::int64_t> limit_bytes(const AllocatorRules& rules);

/// What becomes of a step that is over the limit, in a sentence; empty for one that isn't.
std::string over_limit(const AllocatorRules& rules, const Replay& found);

}  // namespace siliconprof
