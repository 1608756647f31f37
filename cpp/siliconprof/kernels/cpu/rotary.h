#pragma once

// Kernel of rotary positions for all CPU dtypes; the engines share it. Sines and cosines are kept
// from one call to the next of the same tokens, head_dim and base. The same bits for any thread
// count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_rotary(const KernelCall& call);

inline constexpr std::array<Kernel, 1> kRotaryKernels{{{"rotary", run_rotary}}};

}  // namespace siliconprof::cpu
