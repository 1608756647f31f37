#pragma once

// c = a + alpha·b; vectors of length n. McCalpin's STREAM triad, the roofline's usual ruler.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kTriad;

}  // namespace siliconprof
