#pragma once

// Which calls of a trace a compiler runs in one kernel (join_kernels.h).

#include <cstdint>
#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Calls of one kernel, in order, by number; a call that shares its kernel with none is alone.
struct KernelGroups {
  std::vector<std::int32_t> of_call;
  std::vector<std::vector<std::int32_t>> members;
};

/// Two calls are of one kernel where the later reads what the earlier makes or reads, of as many
/// elements as both go over, in rows of one length where both go over rows, in one pass of a step,
/// and where nothing that a call outside of the kernel makes of its results is read by it.
KernelGroups kernel_groups(const Trace& trace);

}  // namespace siliconprof
