#pragma once

// Kernels of concat, slice, slice_backward and transpose for all CPU dtypes; the engines share
// them. Bit for bit; outputs larger than the last-level cache are written past it.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_concat(const KernelCall& call);
void run_slice(const KernelCall& call);
void run_slice_backward(const KernelCall& call);
void run_transpose(const KernelCall& call);

inline constexpr std::array<Kernel, 4> kRearrangementKernels{
    {{"concat", run_concat},
     {"slice", run_slice},
     {"slice_backward", run_slice_backward},
     {"transpose", run_transpose}}};

}  // namespace siliconprof::cpu
