#pragma once

// Kernels of sort and sort_backward for all CPU dtypes; the engines share them. Columns of up to
// 8192 elements go through a network, one in each lane of a vector; longer ones, and few, through a
// radix sort on one thread each, as float64 does. The same result for any thread
// count; a NaN may come out with other bits.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_sort(const KernelCall& call);
void run_sort_backward(const KernelCall& call);

inline constexpr std::array<Kernel, 2> kSortOpKernels{
    {{"sort", run_sort}, {"sort_backward", run_sort_backward}}};

}  // namespace siliconprof::cpu
