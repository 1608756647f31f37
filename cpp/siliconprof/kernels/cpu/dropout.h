#pragma once

// Kernel of dropout for all CPU dtypes; the engines share it. The same elements are kept for any
// thread count and instruction set.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_dropout(const KernelCall& call);

inline constexpr std::array<Kernel, 1> kDropoutKernels{{{"dropout", run_dropout}}};

}  // namespace siliconprof::cpu
