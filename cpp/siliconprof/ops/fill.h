#pragma once

// One value everywhere: y[i] = value; length n. A 16-bit format gets the value by way of float32.
// Errors: what any op refuses (op.h).
// Source: PyTorch's full [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kFill;

}  // namespace siliconprof
