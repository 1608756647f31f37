#pragma once

// Kernels of the casts and fill for all CPU dtypes; the engines share them. Outputs larger than the
// last-level cache are written past it.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_cast(const KernelCall& call);
void run_fill(const KernelCall& call);

inline constexpr std::array<Kernel, 5> kCastKernels{{{"cast_float64", run_cast},
                                                     {"cast_float32", run_cast},
                                                     {"cast_float16", run_cast},
                                                     {"cast_bfloat16", run_cast},
                                                     {"fill", run_fill}}};

}  // namespace siliconprof::cpu
