#pragma once

// Kernels of copy, add, scale, triad and outer for all CPU dtypes, on the vector loops of this
// CPU; the engines share them. Outputs larger than the last-level cache are written past it.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_copy(const KernelCall& call);
void run_add(const KernelCall& call);
void run_scale(const KernelCall& call);
void run_triad(const KernelCall& call);
void run_outer(const KernelCall& call);

inline constexpr std::array<Kernel, 5> kElementwiseKernels{{{"outer", run_outer},
                                                            {"copy", run_copy},
                                                            {"add", run_add},
                                                            {"scale", run_scale},
                                                            {"triad", run_triad}}};

}  // namespace siliconprof::cpu
