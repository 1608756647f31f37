#pragma once

// What a step takes of a device's memory under a framework, call by call.

#include "siliconprof/devices/allocator_rules.h"
#include "siliconprof/ops/memory_timeline.h"

namespace siliconprof {

struct FrameworkMemory {
  Replay replay;
  /// Tensors by their role for as long as the framework holds them; what it makes besides, and what
  /// its allocator adds by rounding, is temporary. Reaches what `replay` hands out at most, and
  /// more where tensors of the host are in the same memory.
  MemoryTimeline timeline;
};

/// `with_host`: the device's memory is the host's too.
FrameworkMemory framework_memory(const Trace& trace, const AllocatorRules& rules, bool with_host);

}  // namespace siliconprof
