#pragma once

// A part of an axis: y[o, r, i] = x[o, begin + r, i]; x (outer, size, inner), y (outer, length,
// inner), begin + length at most size. Backward: dx is dy there, 0 elsewhere.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kSlice;
/// dy → dx.
extern const Op kSliceBackward;

}  // namespace siliconprof
