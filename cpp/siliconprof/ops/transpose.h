#pragma once

// Two neighbouring axes exchanged: y[o, j, i, q] = x[o, i, j, q]; x (outer, m, n, inner), y (outer,
// n, m, inner).

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kTranspose;

}  // namespace siliconprof
