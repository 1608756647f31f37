#pragma once

// c = a + b; vectors of length n.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kAdd;

}  // namespace siliconprof
