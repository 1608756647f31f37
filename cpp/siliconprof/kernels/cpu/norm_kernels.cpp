#include "siliconprof/kernels/cpu/norm_kernels.h"

namespace siliconprof::cpu {

std::span<const NormKernels* const> runnable_norm_kernels() {
  static const auto runnable = SILICONPROF_RUNNABLE_BUILDS(kNormKernels);
  return runnable;
}

}  // namespace siliconprof::cpu
