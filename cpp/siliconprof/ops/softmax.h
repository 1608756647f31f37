#pragma once

// Softmax along an axis: y[o, r, i] = exp(x[o, r, i]) / Σ_s exp(x[o, s, i]); x and y
// (outer, size, inner). And its gradient from the result: dx = y·(dy - Σ y·dy).

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kSoftmax;
/// y, dy → dx.
extern const Op kSoftmaxBackward;

}  // namespace siliconprof
