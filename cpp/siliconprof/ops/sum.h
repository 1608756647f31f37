#pragma once

// Sum along an axis: y[o, i] = Σ_r x[o, r, i]; x (outer, size, inner) → y (outer, inner). With
// outer = inner = 1 it sums the whole array.
// Errors: what any op refuses (op.h).
// Source: PyTorch's sum [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kSum;

}  // namespace siliconprof
