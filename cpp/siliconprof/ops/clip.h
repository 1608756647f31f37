#pragma once

// Clipping gradients by the norm of all of them, as PyTorch's clip_grad_norm_: square_sum runs
// through the gradients one by one, its total starting at 0, then clip scales each.
//   square_sum  total' = total + Σ x²
//   clip        g' = g·min(1, max_norm/(√total + 1e-6)); a total that is NaN makes all NaN
// x and g of length n; total is a statistic of length 1.
// Errors: what any op refuses (op.h), a largest norm below 0 (ArgumentError).
// Source: [pascanu2013], and PyTorch's clip_grad_norm_ for the 1e-6 [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

/// x, total → total.
extern const Op kSquareSum;
/// gradient, total → gradient.
extern const Op kClip;

}  // namespace siliconprof
