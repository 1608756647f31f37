#pragma once

// The contrastive loss of SimCLR on 2N views: row r's positive is (r + N) mod 2N, all other rows
// but itself are negatives. loss = mean of lse - z[positive], z = similarity/temperature, lse = log
// Σ exp(z) without the diagonal; similarity (rows, rows), rows = 2N, loss (1). lse, (rows), is kept
// for the gradient.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kNtXent;
/// similarity, lse, dloss → dsimilarity, 0 on the diagonal.
extern const Op kNtXentBackward;

}  // namespace siliconprof
