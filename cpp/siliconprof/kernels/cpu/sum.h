#pragma once

// Kernels of sum and broadcast for all CPU dtypes; the engines share them.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

/// Blocks of at most 264 terms are summed in float32 (float64 for float64) and added up in
/// float64, so that the error is at most γ(264)·Σ|x| + one rounding, at any size (float64:
/// γ(264 + size/256)). How the terms are grouped depends on shape and instruction set alone: the
/// same result for any thread count.
void run_sum(const KernelCall& call);
void run_broadcast(const KernelCall& call);

inline constexpr std::array<Kernel, 2> kSumKernels{
    {{"sum", run_sum}, {"broadcast", run_broadcast}}};

}  // namespace siliconprof::cpu
