#pragma once

// C = A·B for each matrix of a batch; A (batch, m, k), B (batch, k, n) → C (batch, m, n). With
// transpose_a, A is stored (batch, k, m); with transpose_b, B is stored (batch, n, k).
// Errors: what any op refuses (op.h).
// Source: [dongarra1990].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kMatmul;

}  // namespace siliconprof
