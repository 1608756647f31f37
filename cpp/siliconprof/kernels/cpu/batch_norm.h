#pragma once

// Kernels of batch_norm and batch_norm_backward for all CPU dtypes; the engines share them. Two
// passes over memory, as the statistics must be known first; the second goes backwards, from what
// the caches still hold. The same result for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_batch_norm(const KernelCall& call);
void run_batch_norm_backward(const KernelCall& call);

inline constexpr std::array<Kernel, 2> kBatchNormKernels{
    {{"batch_norm", run_batch_norm}, {"batch_norm_backward", run_batch_norm_backward}}};

}  // namespace siliconprof::cpu
