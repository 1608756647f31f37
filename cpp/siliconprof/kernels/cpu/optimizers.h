#pragma once

// Kernels of adamw and sgd for all CPU dtypes; the engines share them. One pass, every element by
// itself: the same result for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_adamw(const KernelCall& call);
void run_sgd(const KernelCall& call);

inline constexpr std::array<Kernel, 2> kOptimizerKernels{{{"adamw", run_adamw}, {"sgd", run_sgd}}};

}  // namespace siliconprof::cpu
