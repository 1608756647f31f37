#pragma once

// Where the largest along an axis stands: y[o, i] is the r of the first largest x[o, r, i], a NaN
// being larger than all; x (outer, size, inner), y int32 (outer, inner). size is at least 1.
// Errors: what any op refuses (op.h), an empty axis, or one longer than int32 counts (ShapeError).
// Source: PyTorch's argmax [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kArgmax;

}  // namespace siliconprof
