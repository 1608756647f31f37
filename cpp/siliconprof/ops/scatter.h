#pragma once

// Rows to where an index says; updates (count, columns), index int32 (count), y (rows, columns):
//   scatter      y = x (rows, columns) with y[index[i], :] = updates[i, :]; the last update wins
//   scatter_sum  y[r, :] = Σ updates[i, :] over index[i] = r, 0 where there is none
//   scatter_max  y[r, :] = largest updates[i, :] over index[i] = r, 0 where there is none; a NaN
//                is larger than all
// Costs count the rows that can differ: min(rows, count) are updated.
// Errors: what any op refuses (op.h), a table longer than int32 counts (ShapeError), an index
// outside it (ArgumentError, when run).
// Source: PyTorch's scatter and scatter_reduce without include_self [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

/// x, index, updates → y, which may be x itself.
extern const Op kScatter;
/// index, dy → dx (0 in updated rows), dupdates (0 for an update that another overwrote).
extern const Op kScatterBackward;
/// updates, index → y.
extern const Op kScatterSum;
/// updates, index → y.
extern const Op kScatterMax;
/// updates, index, y, dy → dupdates: dy to the first update that equals y, 0 to the others.
extern const Op kScatterMaxBackward;

}  // namespace siliconprof
