#pragma once

// Layer normalisation of each row: y = (x - mean)·rstd·weight + bias with the row's mean and
// rstd = 1/√(variance + epsilon); x, y (rows, n), weight, bias (n). mean and rstd, (rows), are kept
// for the gradient.
// Errors: what any op refuses (op.h), rows of no element (ShapeError), an epsilon below 0
// (ArgumentError).
// Source: [ba2016].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kLayerNorm;
/// x, weight, mean, rstd, dy → dx, dweight, dbias.
extern const Op kLayerNormBackward;

}  // namespace siliconprof
