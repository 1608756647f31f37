#pragma once

// From the call's dtype to another: y = x, rounded once to nearest, ties to even; a NaN stays one.
// x, y length n. The gradient is cast back.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kCastFloat64;
extern const Op kCastFloat32;
extern const Op kCastFloat16;
extern const Op kCastBfloat16;

}  // namespace siliconprof
