#pragma once

// From the call's dtype to another: y = x, rounded once to nearest, ties to even; a NaN stays one.
// x, y length n. The gradient is cast back.
// Errors: what any op refuses (op.h), a gradient of tf32, which is no storage format (DtypeError).
// Source: IEEE 754-2019, roundTiesToEven; PyTorch's Tensor.to [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kCastFloat64;
extern const Op kCastFloat32;
extern const Op kCastFloat16;
extern const Op kCastBfloat16;

/// Whether it is one of these.
inline bool is_cast(const Op& op) { return op.name.starts_with("cast_"); }

}  // namespace siliconprof
