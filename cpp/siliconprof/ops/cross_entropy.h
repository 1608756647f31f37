#pragma once

// Cross-entropy of class scores: loss = mean over rows of lse - logit[target],
// lse = log Σ exp(logit) of the row; logits (rows, v), target indices (rows), loss (1). lse,
// (rows), is kept for the gradient, which needs no table of probabilities.
// Errors: what any op refuses (op.h), no class (ShapeError), a target that is none (ArgumentError,
// when run).
// Source: PyTorch's CrossEntropyLoss [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kCrossEntropy;
/// logits, target, lse, dloss → dlogits = dloss/rows·(exp(logit - lse) - [the target]).
extern const Op kCrossEntropyBackward;

}  // namespace siliconprof
