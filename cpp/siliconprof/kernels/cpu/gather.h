#pragma once

// Kernels of gather and embedding for all CPU dtypes; the engines share them. Bit for bit.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_gather(const KernelCall& call);

inline constexpr std::array<Kernel, 2> kGatherKernels{
    {{"gather", run_gather}, {"embedding", run_gather}}};

}  // namespace siliconprof::cpu
