#pragma once

// y = A·x; A (m, n), x (n) → y (m). With transpose: y = Aᵀ·x; x (m) → y (n).

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kMatvec;

}  // namespace siliconprof
