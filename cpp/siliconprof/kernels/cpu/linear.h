#pragma once

// The linear layer: a product whose results leave the registers with the bias added. Sums are
// formed in float32, or float64 of float64; the same for any thread count. Halves go by matrix
// tiles where the CPU has them (half_product.h).

#include <array>
#include <optional>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/half_product.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {

void run_linear(const KernelCall& call);

/// What it keeps for its weights in panels.
ScratchBytes linear_panels_bytes(const OpCall& call, int threads);
/// What it takes by matrix tiles, of halves where they suit; nothing of others.
std::optional<HalfScratch> linear_half_scratch(const OpCall& call, int threads);

inline constexpr std::array<Kernel, 1> kLinearKernels{{{"linear", run_linear}}};

}  // namespace siliconprof::cpu
