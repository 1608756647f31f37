#pragma once

// Two tensors one after the other along an axis: a (outer, first, inner), b (outer, second, inner)
// → y (outer, first + second, inner).
// Errors: what any op refuses (op.h).
// Source: PyTorch's cat [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kConcat;

}  // namespace siliconprof
