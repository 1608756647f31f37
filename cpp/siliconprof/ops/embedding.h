#pragma once

// Rows of a table by token: y[i, :] = table[index[i], :]; table (v, c), index int32 (n), y (n, c).
// As gather, with the gradient embedding_backward: dtable[r, :] = Σ dy[i, :] over index[i] = r.
// Errors: what any op refuses (op.h), a table longer than int32 counts (ShapeError), an index
// outside it (ArgumentError, when run).
// Source: PyTorch's Embedding [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kEmbedding;
/// index, dy → dtable.
extern const Op kEmbeddingBackward;
/// sum, index, dy → sum + dtable; in place the rows without an index stay untouched.
extern const Op kEmbeddingBackwardAdd;

}  // namespace siliconprof
