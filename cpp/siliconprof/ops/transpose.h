#pragma once

// Two neighbouring axes exchanged: y[o, j, i, q] = x[o, i, j, q]; x (outer, m, n, inner), y (outer,
// n, m, inner).
// Errors: what any op refuses (op.h).
// Source: PyTorch's transpose [torch-ops]; a reshape is a view (ops/trace.h).

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kTranspose;

}  // namespace siliconprof
