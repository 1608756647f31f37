#pragma once

// Kernel of argmax for all CPU dtypes; the engines share it. Reads everything once.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_argmax(const KernelCall& call);

inline constexpr std::array<Kernel, 1> kArgmaxOpKernels{{{"argmax", run_argmax}}};

}  // namespace siliconprof::cpu
