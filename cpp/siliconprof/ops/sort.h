#pragma once

// Sorts along an axis: values[o, r, i] = x[o, order[o, r, i], i], ascending or (descending = 1)
// descending; x, values and order (int32) are (outer, size, inner). Stable: equal values keep their
// order. A NaN is larger than all: last ascending, first descending.
// Backward: dx[o, order[o, r, i], i] = dy[o, r, i], where `order` holds each index once along the
// axis; of an index that it repeats the last counts, one that it lacks gets 0.
// Errors: what any op refuses (op.h), an axis longer than int32 counts (ShapeError).
// Source: PyTorch's sort(stable=True) [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

/// x → values, order. Its flops are the comparisons of a merge sort at the worst.
extern const Op kSort;
/// order, dy → dx.
extern const Op kSortBackward;

}  // namespace siliconprof
