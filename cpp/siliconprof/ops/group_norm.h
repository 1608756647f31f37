#pragma once

// Group normalisation: as layer_norm over the channels and positions of each group, with a weight
// and a bias for each channel; x, y (batch, groups, channels, inner), `channels` in one group,
// weight, bias (groups, channels), mean, rstd (batch, groups).
// Errors: what any op refuses (op.h), no element in a group (ShapeError).
// Source: [wu2018].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kGroupNorm;
/// x, weight, mean, rstd, dy → dx, dweight, dbias.
extern const Op kGroupNormBackward;

}  // namespace siliconprof
