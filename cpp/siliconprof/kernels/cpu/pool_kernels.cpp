#include "siliconprof/kernels/cpu/pool_kernels.h"

namespace siliconprof::cpu {

std::span<const PoolKernels* const> runnable_pool_kernels() {
  static const auto runnable = SILICONPROF_RUNNABLE_BUILDS(kPoolKernels);
  return runnable;
}

const PoolKernels& pool_kernels() { return *runnable_pool_kernels().front(); }

}  // namespace siliconprof::cpu
