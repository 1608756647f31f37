#pragma once

// How much of what a call touches a cache has lost since the call before that touched it.

#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// For each call of a trace that is run over and over, bytes of its operands that come from beyond
/// a cache of `cache_bytes`. Of a tensor, 1 / (1 + (cache / d)^3) is lost when d bytes were touched
/// since its last use: half at d = cache. Inputs are used as their call begins, outputs as it ends.
/// Caches that are
/// shared and replace at random have no sharper edge; the power is what streams over growing
/// working sets showed on an AMD Milan server.
std::vector<double> far_bytes(const Trace& trace, double cache_bytes);

}  // namespace siliconprof
