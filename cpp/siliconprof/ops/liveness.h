#pragma once

// How much memory a trace needs, call by call.

#include "siliconprof/ops/memory_timeline.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {

enum class MemoryOf : std::uint8_t { Device, Host };

/// One point per call, of the tensors on the device, or of those that are on its host. Inputs, parameters and optimizer states live throughout; any other tensor
/// from its first use to its last; a tensor that is written and never read is a result and lives on
/// to the end. Exact sizes: no allocator's rounding.
MemoryTimeline memory_timeline(const Trace& trace, MemoryOf place = MemoryOf::Device);

}  // namespace siliconprof
