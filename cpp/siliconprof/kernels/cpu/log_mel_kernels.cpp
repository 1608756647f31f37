#include "siliconprof/kernels/cpu/log_mel_kernels.h"

namespace siliconprof::cpu {

std::span<const LogMelKernelTable* const> runnable_log_mel_kernels() {
  static const auto runnable = SILICONPROF_RUNNABLE_BUILDS(kLogMelKernels);
  return runnable;
}

}  // namespace siliconprof::cpu
