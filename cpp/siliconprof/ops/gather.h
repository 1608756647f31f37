#pragma once

// Rows by their index: y[i, :] = x[index[i], :]; x (rows, columns), index int32 (count),
// y (count, columns). Its gradient is scatter_sum (ops/scatter.h). The cost counts each row of x
// once, as many as can differ.
// Errors: what any op refuses (op.h), a table longer than int32 counts (ShapeError), an index
// outside it (ArgumentError, when run).
// Source: PyTorch's index_select [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kGather;

}  // namespace siliconprof
