#pragma once

// The linear layer: a product whose results leave the registers with the bias added. Sums are
// formed in float32, or float64 of float64; the same for any thread count.

#include <array>
#include <cstdint>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_linear(const KernelCall& call);

/// Bytes that it keeps for its weights in panels.
std::int64_t linear_panels_bytes(const OpCall& call, int threads);

inline constexpr std::array<Kernel, 1> kLinearKernels{{{"linear", run_linear}}};

}  // namespace siliconprof::cpu
