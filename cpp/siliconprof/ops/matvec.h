#pragma once

// y = A·x; A (m, n), x (n) → y (m). With transpose: y = Aᵀ·x; x (m) → y (n).
// Errors: what any op refuses (op.h).
// Source: [dongarra1990], of one column.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kMatvec;

}  // namespace siliconprof
