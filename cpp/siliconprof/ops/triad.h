#pragma once

// c = a + alpha·b; vectors of length n. McCalpin's STREAM triad, the roofline's usual ruler.
// Errors: what any op refuses (op.h).
// Source: [mccalpin1995], whose Triad it is.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kTriad;

}  // namespace siliconprof
