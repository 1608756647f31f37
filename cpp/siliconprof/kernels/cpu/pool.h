#pragma once

// Pooling and its gradients; sums in float32, or float64 of float64, the same for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_max_pool2d(const KernelCall& call);
void run_max_pool2d_backward(const KernelCall& call);
void run_avg_pool2d(const KernelCall& call);
void run_avg_pool2d_backward(const KernelCall& call);

inline constexpr std::array<Kernel, 4> kPoolOpKernels{{
    {"max_pool2d", run_max_pool2d},
    {"max_pool2d_backward", run_max_pool2d_backward},
    {"avg_pool2d", run_avg_pool2d},
    {"avg_pool2d_backward", run_avg_pool2d_backward},
}};

}  // namespace siliconprof::cpu
