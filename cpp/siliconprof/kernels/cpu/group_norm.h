#pragma once

// Kernels of group_norm and group_norm_backward for all CPU dtypes; the engines share them. Runs of
// one element go the way of layer_norm. The same result for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_group_norm(const KernelCall& call);
void run_group_norm_backward(const KernelCall& call);

inline constexpr std::array<Kernel, 2> kGroupNormKernels{
    {{"group_norm", run_group_norm}, {"group_norm_backward", run_group_norm_backward}}};

}  // namespace siliconprof::cpu
