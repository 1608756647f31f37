#include "siliconprof/kernels/cpu/loss_kernels.h"

namespace siliconprof::cpu {

std::span<const LossKernels* const> runnable_loss_kernels() {
  static const auto runnable = SILICONPROF_RUNNABLE_BUILDS(kLossKernels);
  return runnable;
}

}  // namespace siliconprof::cpu
