#pragma once

// Rows by their index: y[i, :] = x[index[i], :]; x (rows, columns), index int32 (count),
// y (count, columns). Its gradient is scatter_sum (ops/scatter.h). The cost counts each row of x
// once, as many as can differ.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kGather;

}  // namespace siliconprof
