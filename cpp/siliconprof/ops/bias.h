#pragma once

// y = x + b, b added to each row; x, y (rows, n), b (n).

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kBias;

}  // namespace siliconprof
