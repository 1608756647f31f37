#pragma once

// Kernels of cross_entropy and cross_entropy_backward for all CPU dtypes; the engines share them.
// Each is one pass over the logits; one thread works on a row. The same result for any thread
// count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_cross_entropy(const KernelCall& call);
void run_cross_entropy_backward(const KernelCall& call);

inline constexpr std::array<Kernel, 2> kCrossEntropyKernels{
    {{"cross_entropy", run_cross_entropy}, {"cross_entropy_backward", run_cross_entropy_backward}}};

}  // namespace siliconprof::cpu
