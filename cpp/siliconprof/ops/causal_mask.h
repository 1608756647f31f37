#pragma once

// y = x where column ≤ row + columns - rows, else -inf: the last row sees all columns;
// x, y (batch, rows, columns).
// Errors: what any op refuses (op.h).
// Source: [vaswani2017], section 3.2.3.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kCausalMask;
/// dx = dy there, else 0.
extern const Op kCausalMaskBackward;

}  // namespace siliconprof
