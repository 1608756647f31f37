#pragma once

// How much memory a call touches, and how much of it a cache has lost since the call before that
// touched it.

#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// What a call moves at least, its reads and its writes, and what of it crosses the edge of a
/// cache: memory that was lost is brought and, where it is written in place, brought back too.
struct CallTraffic {
  double bytes = 0.0;
  double far_bytes = 0.0;
  // The same of a call that touches more memory than the cache has, else none.
  double large_bytes = 0.0;
  double large_far_bytes = 0.0;
};

/// For each call of a trace that is run over and over, by a cache of `cache_bytes`. Of a tensor, 1
/// / (1 + (cache / d)^3) is lost when d bytes were touched since its last use: half at d = cache.
/// Inputs are used as their call begins, outputs as it ends. Caches that are shared and replace at
/// random have no sharper edge; the power is what streams over growing working sets showed on an
/// AMD Milan server.
std::vector<CallTraffic> call_traffic(const Trace& trace, double cache_bytes);

}  // namespace siliconprof
