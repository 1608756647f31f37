#pragma once

// Convolution and its gradients: tiles of a matrix product that read the data where it lies, and
// sum only taps that fall on data. Sums are formed in float32, or float64 of float64; the same for
// any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_convolution(const KernelCall& call);
void run_convolution_data_backward(const KernelCall& call);
void run_convolution_weight_backward(const KernelCall& call);

/// Bytes that a convolution, or its gradient for the data, keeps for its weights in panels.
std::int64_t weight_panels_bytes(const OpCall& call);

inline constexpr std::array<Kernel, 6> kConvolutionKernels{{
    {"conv1d", run_convolution},
    {"conv1d_data_backward", run_convolution_data_backward},
    {"conv1d_weight_backward", run_convolution_weight_backward},
    {"conv2d", run_convolution},
    {"conv2d_data_backward", run_convolution_data_backward},
    {"conv2d_weight_backward", run_convolution_weight_backward},
}};

}  // namespace siliconprof::cpu
