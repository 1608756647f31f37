#pragma once

// C = x·yᵀ; x (m), y (n) → C (m, n). The weight gradient of a matrix-vector product.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kOuter;

}  // namespace siliconprof
