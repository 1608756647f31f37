#pragma once

// Kernels of nt_xent and nt_xent_backward for all CPU dtypes; the engines share them. Each is one
// pass over the similarities; one thread works on a row. The same result for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_nt_xent(const KernelCall& call);
void run_nt_xent_backward(const KernelCall& call);

inline constexpr std::array<Kernel, 2> kNtXentKernels{
    {{"nt_xent", run_nt_xent}, {"nt_xent_backward", run_nt_xent_backward}}};

}  // namespace siliconprof::cpu
