#pragma once

// Kernels of log_mel's gradients for all CPU dtypes; the engines share them. Powers and sums are
// made once more, block by block. Samples' gradients are added block after block, filters' over
// groups of blocks: the same result for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/log_mel_kernels.h"

namespace siliconprof::cpu {

void run_log_mel_backward(const KernelCall& call);
void run_log_mel_filters_backward(const KernelCall& call);
/// The same with given loops.
void run_log_mel_backward(const KernelCall& call, const LogMelKernelTable& table);
void run_log_mel_filters_backward(const KernelCall& call, const LogMelKernelTable& table);

inline constexpr std::array<Kernel, 2> kLogMelGradientKernels{
    {{"log_mel_backward", run_log_mel_backward},
     {"log_mel_filters_backward", run_log_mel_filters_backward}}};

}  // namespace siliconprof::cpu
