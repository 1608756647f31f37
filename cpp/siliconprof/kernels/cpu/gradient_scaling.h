#pragma once

// Kernels of square_sum, clip, unscale and update_scale for all CPU dtypes; the engines share them.
// Squares are summed in blocks of 4096 in the dtype's arithmetic, added up in float64 and rounded
// once; the same result for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_square_sum(const KernelCall& call);
void run_clip(const KernelCall& call);
void run_unscale(const KernelCall& call);
void run_update_scale(const KernelCall& call);

inline constexpr std::array<Kernel, 4> kGradientScalingKernels{
    {{"square_sum", run_square_sum},
     {"clip", run_clip},
     {"unscale", run_unscale},
     {"update_scale", run_update_scale}}};

}  // namespace siliconprof::cpu
