#pragma once

// A part of an axis: y[o, r, i] = x[o, begin + r, i]; x (outer, size, inner), y (outer, length,
// inner), begin + length at most size. Backward: dx is dy there, 0 elsewhere.
// Errors: what any op refuses (op.h), a length beyond the axis (ShapeError), a begin that leaves it
// (ArgumentError).
// Source: PyTorch's narrow [torch-ops]; split is one for each part.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kSlice;
/// dy → dx.
extern const Op kSliceBackward;

}  // namespace siliconprof
