#pragma once

// Kernels of bias, bias_relu, bias_gelu_erf, bias_gelu_tanh and their backward ops for all CPU
// dtypes; the engines share them. One pass; outputs larger than the last-level cache are written
// past it. The same result for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/row_kernels.h"

namespace siliconprof::cpu {

void run_bias(const KernelCall& call, BiasMap RowLoops::*loop);
void run_bias_backward(const KernelCall& call, BiasSlope RowLoops::*loop);

template <BiasMap RowLoops::*Loop>
void bias_kernel(const KernelCall& call) {
  run_bias(call, Loop);
}
template <BiasSlope RowLoops::*Loop>
void bias_backward_kernel(const KernelCall& call) {
  run_bias_backward(call, Loop);
}

inline constexpr std::array<Kernel, 7> kBiasKernels{{
    {"bias", bias_kernel<&RowLoops::bias>},
    {"bias_relu", bias_kernel<&RowLoops::bias_relu>},
    {"bias_relu_backward", bias_backward_kernel<&RowLoops::bias_relu_backward>},
    {"bias_gelu_erf", bias_kernel<&RowLoops::bias_gelu_erf>},
    {"bias_gelu_erf_backward", bias_backward_kernel<&RowLoops::bias_gelu_erf_backward>},
    {"bias_gelu_tanh", bias_kernel<&RowLoops::bias_gelu_tanh>},
    {"bias_gelu_tanh_backward", bias_backward_kernel<&RowLoops::bias_gelu_tanh_backward>},
}};

}  // namespace siliconprof::cpu
