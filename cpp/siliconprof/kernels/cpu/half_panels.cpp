#include "siliconprof/kernels/cpu/half_panels.h"

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

std::span<const HalfPanelKernels* const> runnable_half_panels() {
  // CPUs with tiles have AVX-512: between the two there is nothing to gain.
#if defined(__x86_64__)
  static const auto runnable =
      runnable_builds<HalfPanelKernels>(&avx512::kHalfPanels, nullptr, generic::kHalfPanels);
#else
  static const auto runnable =
      runnable_builds<HalfPanelKernels>(nullptr, nullptr, generic::kHalfPanels);
#endif
  return runnable;
}

}  // namespace siliconprof::cpu
