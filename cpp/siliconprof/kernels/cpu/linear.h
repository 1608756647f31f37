#pragma once

// The linear layer: a product whose results leave the registers with the bias added. Sums are
// formed in float32, or float64 of float64; the same for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {

void run_linear(const KernelCall& call);

/// What it keeps for its weights in panels.
ScratchBytes linear_panels_bytes(const OpCall& call, int threads);

inline constexpr std::array<Kernel, 1> kLinearKernels{{{"linear", run_linear}}};

}  // namespace siliconprof::cpu
