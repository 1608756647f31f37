#pragma once

// Rows of length 1: y = x/max(|x|, epsilon), |x| the row's Euclidean norm; x, y (rows, n), norm
// (rows), which is kept for the gradient.
// Errors: what any op refuses (op.h), an epsilon below 0 (ArgumentError).
// Source: PyTorch's functional.normalize [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kNormalise;
/// y, norm, dy → dx = (dy - y·Σ y·dy)/norm, dy/epsilon where the norm is at most epsilon.
extern const Op kNormaliseBackward;

}  // namespace siliconprof
