#pragma once

// The matmul kernel of an engine, from its library's products. float16 and bfloat16 are widened to
// float32, multiplied and rounded once, or go to the library's own bfloat16 product.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/product_kernel.h"

namespace siliconprof::cpu {

void run_matmul(const ProductFunctions& functions, const KernelCall& call);

inline constexpr std::array<ProductKernel, 1> kMatmulKernels{{{"matmul", run_matmul}}};

}  // namespace siliconprof::cpu
