#pragma once

// b = a; vectors of length n.
// Errors: what any op refuses (op.h).
// Source: [mccalpin1995], whose Copy it is.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kCopy;

}  // namespace siliconprof
