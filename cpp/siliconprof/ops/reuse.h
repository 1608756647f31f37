#pragma once

// How much of what a call touches a cache has lost since the call before that touched it.

#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// For each call of a trace that is run over and over, bytes of its operands that come from beyond
/// a cache of `cache_bytes`. A tensor
/// is still near when no more than three quarters of a cache were touched since its last use, by
/// the call itself too, far from five quarters on, and in part between: caches don't forget in order.
std::vector<double> far_bytes(const Trace& trace, double cache_bytes);

}  // namespace siliconprof
