#include "siliconprof/kernels/cpu/loss_kernels.h"

namespace siliconprof::cpu {

std::span<const LossKernels* const> runnable_loss_kernels() {
#if defined(__x86_64__)
  static const auto runnable =
      runnable_builds(&avx512::kLossKernels, &avx2::kLossKernels, generic::kLossKernels);
#else
  static const auto runnable =
      runnable_builds<LossKernels>(nullptr, nullptr, generic::kLossKernels);
#endif
  return runnable;
}

}  // namespace siliconprof::cpu
