#pragma once

// The matvec kernel of an engine. float32 and float64 go to its library; float16 and bfloat16 are
// converted in registers on the way, since half the bytes is what they have to offer.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/product_kernel.h"

namespace siliconprof::cpu {

void run_matvec(const ProductFunctions& functions, const KernelCall& call);

inline constexpr std::array<ProductKernel, 1> kMatvecKernels{{{"matvec", run_matvec}}};

}  // namespace siliconprof::cpu
