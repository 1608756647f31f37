#pragma once

// b = alpha·a; vectors of length n.
// Errors: what any op refuses (op.h).
// Source: [mccalpin1995], whose Scale it is.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kScale;

}  // namespace siliconprof
