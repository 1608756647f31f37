#pragma once

// y = x + b, b added to each row; x, y (rows, n), b (n).
// Errors: what any op refuses (op.h).
// Source: PyTorch's broadcasting of a vector over rows [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kBias;

}  // namespace siliconprof
