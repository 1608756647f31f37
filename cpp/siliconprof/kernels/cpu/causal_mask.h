#pragma once

// Kernels of causal_mask and causal_mask_backward for all CPU dtypes; the engines share them. What
// is hidden is not read, what is shown stays unwritten where the output is the input. The same
// result for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_causal_mask(const KernelCall& call);
void run_causal_mask_backward(const KernelCall& call);

inline constexpr std::array<Kernel, 2> kCausalMaskKernels{
    {{"causal_mask", run_causal_mask}, {"causal_mask_backward", run_causal_mask_backward}}};

}  // namespace siliconprof::cpu
