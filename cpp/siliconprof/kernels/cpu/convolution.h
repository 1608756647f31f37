#pragma once

// Convolution and its gradients: tiles of a matrix product that read the data where it lies, and
// sum only taps that fall on data; or fewer products, of sums of the data (winograd.h); or, of
// bfloat16 data, products of halves (convolution_halves.h). Sums are formed in float32, or float64
// of float64; the same for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/winograd_tiles.h"

namespace siliconprof::cpu {

void run_convolution(const KernelCall& call);
void run_convolution_data_backward(const KernelCall& call);
void run_convolution_weight_backward(const KernelCall& call);

/// What a convolution, or its gradient, keeps for weights or their sums, and what all threads keep
/// for Winograd's products. What goes by halves keeps convolution_half_scratch() instead.
WinogradBytes convolution_bytes(const OpCall& call, int threads);

inline constexpr std::array<Kernel, 6> kConvolutionKernels{{
    {"conv1d", run_convolution},
    {"conv1d_data_backward", run_convolution_data_backward},
    {"conv1d_weight_backward", run_convolution_weight_backward},
    {"conv2d", run_convolution},
    {"conv2d_data_backward", run_convolution_data_backward},
    {"conv2d_weight_backward", run_convolution_weight_backward},
}};

}  // namespace siliconprof::cpu
