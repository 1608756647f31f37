#include "siliconprof/kernels/cpu/log_mel_kernels.h"

namespace siliconprof::cpu {

std::span<const LogMelKernelTable* const> runnable_log_mel_kernels() {
#if defined(__x86_64__)
  static const auto runnable =
      runnable_builds(&avx512::kLogMelKernels, &avx2::kLogMelKernels, generic::kLogMelKernels);
#else
  static const auto runnable =
      runnable_builds<LogMelKernelTable>(nullptr, nullptr, generic::kLogMelKernels);
#endif
  return runnable;
}

}  // namespace siliconprof::cpu
