#include "siliconprof/kernels/cpu/movement_kernels.h"

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

std::span<const MovementKernels* const> runnable_movement_kernels() {
  static const auto runnable = SILICONPROF_RUNNABLE_BUILDS(kMovementKernels);
  return runnable;
}

const MovementKernels& movement_kernels() { return *runnable_movement_kernels().front(); }

}  // namespace siliconprof::cpu
