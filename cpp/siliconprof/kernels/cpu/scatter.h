#pragma once

// Kernels of scatter, scatter_backward and scatter_max_backward for all CPU dtypes; the engines
// share them. Bit for bit.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_scatter(const KernelCall& call);
void run_scatter_backward(const KernelCall& call);
void run_scatter_max_backward(const KernelCall& call);

inline constexpr std::array<Kernel, 3> kScatterOpKernels{
    {{"scatter", run_scatter},
     {"scatter_backward", run_scatter_backward},
     {"scatter_max_backward", run_scatter_max_backward}}};

}  // namespace siliconprof::cpu
