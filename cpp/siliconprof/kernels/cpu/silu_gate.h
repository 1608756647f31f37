#pragma once

// Kernels of the silu gate and its gradient for all CPU dtypes; the engines share them. The same
// bits for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_silu_gate(const KernelCall& call);
void run_silu_gate_backward(const KernelCall& call);

inline constexpr std::array<Kernel, 2> kSiluGateKernels{
    {{"silu_gate", run_silu_gate}, {"silu_gate_backward", run_silu_gate_backward}}};

}  // namespace siliconprof::cpu
