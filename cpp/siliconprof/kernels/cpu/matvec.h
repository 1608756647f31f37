#pragma once

// The matvec kernel of an engine. float32 and float64 go to its library; float16 and bfloat16 are
// converted in registers on the way, since half the bytes is what they have to offer.

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/product_functions.h"

namespace siliconprof::cpu {

void run_matvec(const ProductFunctions& functions, const KernelCall& call);

}  // namespace siliconprof::cpu
