#include "siliconprof/kernels/cpu/winograd_kernels.h"

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

std::span<const WinogradKernels* const> runnable_winograd_kernels() {
  static const auto runnable = SILICONPROF_RUNNABLE_BUILDS(kWinogradKernels);
  return runnable;
}

const WinogradKernels& winograd_kernels() { return *runnable_winograd_kernels().front(); }

}  // namespace siliconprof::cpu
