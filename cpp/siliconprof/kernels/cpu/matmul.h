#pragma once

// The matmul kernel of an engine, from its library's products. float16 and bfloat16 are widened to
// float32, multiplied and rounded once, or go to the library's own bfloat16 product.

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/product_functions.h"

namespace siliconprof::cpu {

void run_matmul(const ProductFunctions& functions, const KernelCall& call);

}  // namespace siliconprof::cpu
