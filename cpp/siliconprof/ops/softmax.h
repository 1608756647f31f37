#pragma once

// Softmax along an axis: y[o, r, i] = exp(x[o, r, i]) / Σ_s exp(x[o, s, i]); x and y
// (outer, size, inner). And its gradient from the result: dx = y·(dy - Σ y·dy).
// Errors: what any op refuses (op.h).
// Source: PyTorch's softmax [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kSoftmax;
/// y, dy → dx.
extern const Op kSoftmaxBackward;

}  // namespace siliconprof
