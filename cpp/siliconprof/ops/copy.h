#pragma once

// b = a; vectors of length n.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kCopy;

}  // namespace siliconprof
