#pragma once

// Each row over its root mean square: y = x·rrms·weight, rrms = 1/√(mean of x² + epsilon);
// x, y (rows, n), weight (n). rrms, (rows), is kept for the gradient.
// Errors: what any op refuses (op.h), rows of no element (ShapeError).
// Source: [zhang2019].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kRmsNorm;
/// x, weight, rrms, dy → dx, dweight.
extern const Op kRmsNormBackward;

}  // namespace siliconprof
