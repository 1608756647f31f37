#pragma once

// Repeats along an axis: y[o, r, i] = x[o, i]; x (outer, inner) → y (outer, size, inner). The
// gradient of a sum, as a sum is that of it.
// Errors: what any op refuses (op.h).
// Source: PyTorch's expand [torch-ops]; as a gradient [griewank2008].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kBroadcast;

}  // namespace siliconprof
