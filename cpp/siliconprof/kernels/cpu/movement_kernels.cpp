#include "siliconprof/kernels/cpu/movement_kernels.h"

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

std::span<const MovementKernels* const> runnable_movement_kernels() {
#if defined(__x86_64__)
  static const auto runnable = runnable_builds(&avx512::kMovementKernels, &avx2::kMovementKernels,
                                               generic::kMovementKernels);
#else
  static const auto runnable =
      runnable_builds<MovementKernels>(nullptr, nullptr, generic::kMovementKernels);
#endif
  return runnable;
}

const MovementKernels& movement_kernels() { return *runnable_movement_kernels().front(); }

}  // namespace siliconprof::cpu
