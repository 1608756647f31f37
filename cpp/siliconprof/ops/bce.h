#pragma once

// Binary cross-entropy, mean over n: l = -1/n·Σ (t·log p + (1 - t)·log(1 - p)); predictions p and
// targets t of length n → l of length 1. Logarithms are taken as -100 at least, as PyTorch does; a
// p outside [0, 1] gives NaN. Backward, with dl of length 1:
//   bce_backward         dp = dl/n·(p - t)/max(p·(1 - p), 1e-12)
//   bce_target_backward  dt = dl/n·(log(1 - p) - log p), both as above
// Errors: what any op refuses (op.h).
// Source: PyTorch's BCELoss [torch-ops], whose limits of the logarithms these are.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kBce;
extern const Op kBceBackward;
extern const Op kBceTargetBackward;

}  // namespace siliconprof
