#pragma once

// Kernels of scatter_sum, scatter_max and embedding's gradients for all CPU dtypes; the engines
// share them. Sums are formed in float32 (float64 for float64): where updates are many for each
// row, in order within at most 16 blocks of them, whose sums are added in order; else in order
// within runs of 4096 of a row's, whose sums are added in order. Which, and how many blocks,
// depends on the shape alone: the same result for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_scatter_sum(const KernelCall& call);
void run_scatter_max(const KernelCall& call);
void run_embedding_backward(const KernelCall& call);
void run_embedding_backward_add(const KernelCall& call);

inline constexpr std::array<Kernel, 4> kScatterReductionKernels{
    {{"scatter_sum", run_scatter_sum},
     {"scatter_max", run_scatter_max},
     {"embedding_backward", run_embedding_backward},
     {"embedding_backward_add", run_embedding_backward_add}}};

}  // namespace siliconprof::cpu
