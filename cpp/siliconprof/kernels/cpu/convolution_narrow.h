#pragma once

// Convolutions to so few channels that their results would leave vectors or registers without work:
// narrow tiles (gemm_kernels.h).

#include <cstddef>
#include <cstdint>

#include "siliconprof/kernels/cpu/convolution_grid.h"
#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

/// Whether results of so many channels are narrow on this CPU.
bool is_narrow(std::int64_t columns, std::size_t element_bytes);

/// Carries out a plan of narrow results; weights (outputs, taps, channels).
void convolve_narrow(const KernelCall& k, const ConvolutionPlan& plan, const float* in,
                     const float* weight, float* out);

}  // namespace siliconprof::cpu
