#include "siliconprof/kernels/cpu/norm_kernels.h"

namespace siliconprof::cpu {

std::span<const NormKernels* const> runnable_norm_kernels() {
#if defined(__x86_64__)
  static const auto runnable =
      runnable_builds(&avx512::kNormKernels, &avx2::kNormKernels, generic::kNormKernels);
#else
  static const auto runnable =
      runnable_builds<NormKernels>(nullptr, nullptr, generic::kNormKernels);
#endif
  return runnable;
}

}  // namespace siliconprof::cpu
