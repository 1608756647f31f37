#pragma once

// Kernels of softmax and softmax_backward for all CPU dtypes; the engines share them. Contiguous
// rows up to 65536 elements are read from memory once, longer ones a second time from cache. Same
// result for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_softmax(const KernelCall& call);
void run_softmax_backward(const KernelCall& call);

inline constexpr std::array<Kernel, 2> kSoftmaxOpKernels{
    {{"softmax", run_softmax}, {"softmax_backward", run_softmax_backward}}};

}  // namespace siliconprof::cpu
