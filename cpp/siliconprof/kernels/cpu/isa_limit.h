#pragma once

// Instruction sets that kernels leave alone though the CPU has them: for tests of what other CPUs
// run, and for comparisons.

#include <string_view>

#include "siliconprof/kernels/cpu/cpu_features.h"

namespace siliconprof::cpu {

/// The environment's "avx512", "avx2" or "generic": the widest vectors that kernels may use.
inline constexpr const char* kMaxIsaVariable = "SILICONPROF_MAX_ISA";

/// What is left of the features below such a limit; "generic" leaves what every CPU of its kind
/// has. Throws UnknownNameError.
CpuFeatures limited(CpuFeatures features, std::string_view most);

}  // namespace siliconprof::cpu
