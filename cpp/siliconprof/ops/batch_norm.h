#pragma once

// Batch normalisation in training: y = (x - mean)·rstd·weight + bias with the mean and
// rstd = 1/√(variance + epsilon) of each channel; x, y (outer, channels, inner), the rest
// (channels). inner is 1 for images with channels last. mean and rstd are kept for the gradient.
// Errors: what any op refuses (op.h), no element in a channel (ShapeError).
// Source: [ioffe2015].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kBatchNorm;
/// x, weight, mean, rstd, dy → dx, dweight, dbias.
extern const Op kBatchNormBackward;

}  // namespace siliconprof
