#pragma once

// Kernel of log_mel for all CPU dtypes; the engines share it. The transform is a product, as the
// op's cost has it; bins for which a filter is 0 are left out, whatever is in them. Two passes: an
// item's largest logarithm is known only after its last frame. Same result for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/log_mel_kernels.h"

namespace siliconprof::cpu {

void run_log_mel(const KernelCall& call);
/// The same with given loops.
void run_log_mel(const KernelCall& call, const LogMelKernelTable& table);

inline constexpr std::array<Kernel, 1> kLogMelOpKernels{{{"log_mel", run_log_mel}}};

}  // namespace siliconprof::cpu
