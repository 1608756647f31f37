#include "siliconprof/kernels/cpu/winograd_kernels.h"

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

std::span<const WinogradKernels* const> runnable_winograd_kernels() {
#if defined(__x86_64__)
  static const auto runnable = runnable_builds(&avx512::kWinogradKernels, &avx2::kWinogradKernels,
                                               generic::kWinogradKernels);
#else
  static const auto runnable =
      runnable_builds<WinogradKernels>(nullptr, nullptr, generic::kWinogradKernels);
#endif
  return runnable;
}

const WinogradKernels& winograd_kernels() { return *runnable_winograd_kernels().front(); }

}  // namespace siliconprof::cpu
