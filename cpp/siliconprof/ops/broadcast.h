#pragma once

// Repeats along an axis: y[o, r, i] = x[o, i]; x (outer, inner) → y (outer, size, inner). The
// gradient of a sum, as a sum is that of it.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kBroadcast;

}  // namespace siliconprof
