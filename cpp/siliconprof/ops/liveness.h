#pragma once

// How much memory a trace needs, call by call.

#include <cstdint>
#include <vector>

#include "siliconprof/ops/memory_timeline.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// The calls during which a tensor's memory is needed, from `first` to `last`; -1: at none.
struct Lifetime {
  std::int32_t first = -1;
  std::int32_t last = -1;
  bool operator==(const Lifetime&) const = default;
};

/// One for each tensor. Inputs, parameters and optimizer states live throughout; any other tensor
/// from its first use to its last; a result lives on to the end, and so does a tensor that is
/// written and never read where the trace names no results. A view has none: its base lives.
std::vector<Lifetime> lifetimes(const Trace& trace);
/// The same of what goes through memory: nothing of what stays inside kernels (OpCall::inside).
std::vector<Lifetime> lifetimes_in_memory(const Trace& trace);

/// True for the roles that live throughout.
bool is_persistent(Role role);

enum class MemoryOf : std::uint8_t { Device, Host, Both };

/// Whether any of its tensors is on the host.
bool keeps_on_host(const Trace& trace);

/// One point per call, of the tensors on the device, of those on its host, or of both, where one
/// memory holds them. Exact sizes: no allocator's rounding.
MemoryTimeline memory_timeline(const Trace& trace, MemoryOf place = MemoryOf::Device);

}  // namespace siliconprof
