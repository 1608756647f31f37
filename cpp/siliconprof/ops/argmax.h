#pragma once

// Where the largest along an axis stands: y[o, i] is the r of the first largest x[o, r, i], a NaN
// being larger than all; x (outer, size, inner), y int32 (outer, inner). size is at least 1.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kArgmax;

}  // namespace siliconprof
