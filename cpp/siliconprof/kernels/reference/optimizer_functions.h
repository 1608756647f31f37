#pragma once

// The optimizers' steps on scalars.

#include "siliconprof/kernels/reference/scalar_math.h"

namespace siliconprof::reference {

#include "siliconprof/kernels/optimizer_functions.inc"

}  // namespace siliconprof::reference
