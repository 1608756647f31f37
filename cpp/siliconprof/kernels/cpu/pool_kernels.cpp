#include "siliconprof/kernels/cpu/pool_kernels.h"

namespace siliconprof::cpu {

std::span<const PoolKernels* const> runnable_pool_kernels() {
#if defined(__x86_64__)
  static const auto runnable =
      runnable_builds(&avx512::kPoolKernels, &avx2::kPoolKernels, generic::kPoolKernels);
#else
  static const auto runnable =
      runnable_builds<PoolKernels>(nullptr, nullptr, generic::kPoolKernels);
#endif
  return runnable;
}

const PoolKernels& pool_kernels() { return *runnable_pool_kernels().front(); }

}  // namespace siliconprof::cpu
