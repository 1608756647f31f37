#pragma once

// C = x·yᵀ; x (m), y (n) → C (m, n). The weight gradient of a matrix-vector product.
// Errors: what any op refuses (op.h).
// Source: PyTorch's outer [torch-ops]; as a gradient [griewank2008].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kOuter;

}  // namespace siliconprof
