#pragma once

// c = a + b; vectors of length n.
// Errors: what any op refuses (op.h).
// Source: [mccalpin1995], whose Add it is.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kAdd;

}  // namespace siliconprof
