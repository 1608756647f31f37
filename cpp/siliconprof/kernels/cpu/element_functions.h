#pragma once

// Kernels of the functions of element_functions.inc (activations, prelu, bce, backward ops) for all
// CPU dtypes, on the vector loops of this CPU; the engines share them. One pass; outputs larger
// than the last-level cache are written past it. The same result for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"

namespace siliconprof::cpu {

using Activation = ActivationLoops FunctionKernels::*;

void run_activation(const KernelCall& call, Activation activation);
void run_activation_backward(const KernelCall& call, Activation activation);

void run_prelu(const KernelCall& call);
void run_prelu_backward(const KernelCall& call);
void run_prelu_weight_backward(const KernelCall& call);
void run_bce(const KernelCall& call);
void run_bce_backward(const KernelCall& call);
void run_bce_target_backward(const KernelCall& call);

template <Activation F>
void forward(const KernelCall& call) {
  run_activation(call, F);
}
template <Activation F>
void backward(const KernelCall& call) {
  run_activation_backward(call, F);
}

inline constexpr std::array<Kernel, 22> kFunctionKernels{{
    {"relu", forward<&FunctionKernels::relu>},
    {"relu_backward", backward<&FunctionKernels::relu>},
    {"leaky_relu", forward<&FunctionKernels::leaky_relu>},
    {"leaky_relu_backward", backward<&FunctionKernels::leaky_relu>},
    {"selu", forward<&FunctionKernels::selu>},
    {"selu_backward", backward<&FunctionKernels::selu>},
    {"sigmoid", forward<&FunctionKernels::sigmoid>},
    {"sigmoid_backward", backward<&FunctionKernels::sigmoid>},
    {"softplus", forward<&FunctionKernels::softplus>},
    {"softplus_backward", backward<&FunctionKernels::softplus>},
    {"gelu_erf", forward<&FunctionKernels::gelu_erf>},
    {"gelu_erf_backward", backward<&FunctionKernels::gelu_erf>},
    {"gelu_tanh", forward<&FunctionKernels::gelu_tanh>},
    {"gelu_tanh_backward", backward<&FunctionKernels::gelu_tanh>},
    {"silu", forward<&FunctionKernels::silu>},
    {"silu_backward", backward<&FunctionKernels::silu>},
    {"prelu", run_prelu},
    {"prelu_backward", run_prelu_backward},
    {"prelu_weight_backward", run_prelu_weight_backward},
    {"bce", run_bce},
    {"bce_backward", run_bce_backward},
    {"bce_target_backward", run_bce_target_backward},
}};

}  // namespace siliconprof::cpu
