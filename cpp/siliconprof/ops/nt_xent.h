#pragma once

// The contrastive loss of SimCLR on 2N views: row r's positive is (r + N) mod 2N, all other rows
// but itself are negatives. loss = mean of lse - z[positive], z = similarity/temperature, lse = log
// Σ exp(z) without the diagonal; similarity (rows, rows), rows = 2N, loss (1). lse, (rows), is kept
// for the gradient.
// Errors: what any op refuses (op.h), rows that are odd or above 2^28 (ShapeError), a temperature
// that isn't above 0 (ArgumentError).
// Source: [chen2020].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kNtXent;
/// similarity, lse, dloss → dsimilarity, 0 on the diagonal.
extern const Op kNtXentBackward;

}  // namespace siliconprof
