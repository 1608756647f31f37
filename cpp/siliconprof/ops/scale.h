#pragma once

// b = alpha·a; vectors of length n.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kScale;

}  // namespace siliconprof
