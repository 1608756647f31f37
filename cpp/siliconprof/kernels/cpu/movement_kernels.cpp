#include "siliconprof/kernels/cpu/movement_kernels.h"

#include <vector>

#include "siliconprof/kernels/cpu/cpu_features.h"

namespace siliconprof::cpu {

std::span<const MovementKernels* const> runnable_movement_kernels() {
  static const std::vector<const MovementKernels*> runnable = [] {
    std::vector<const MovementKernels*> found;
#if defined(__x86_64__)
    if (cpu_features().has_avx512_kernels()) found.push_back(&avx512::kMovementKernels);
    if (cpu_features().has_avx2_kernels()) found.push_back(&avx2::kMovementKernels);
#endif
    found.push_back(&generic::kMovementKernels);
    return found;
  }();
  return runnable;
}

const MovementKernels& movement_kernels() { return *runnable_movement_kernels().front(); }

}  // namespace siliconprof::cpu
