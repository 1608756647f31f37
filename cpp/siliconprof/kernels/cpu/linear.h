#pragma once

// The linear layer: a product whose results leave the registers with the bias added. Sums are
// formed in float32, or float64 of float64; the same for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_linear(const KernelCall& call);

inline constexpr std::array<Kernel, 1> kLinearKernels{{{"linear", run_linear}}};

}  // namespace siliconprof::cpu
