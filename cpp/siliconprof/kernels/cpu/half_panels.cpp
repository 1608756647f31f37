#include "siliconprof/kernels/cpu/half_panels.h"

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

std::span<const HalfPanelKernels* const> runnable_half_panels() {
  // CPUs with tiles have AVX-512: between the two there is nothing to gain.
  static const auto runnable = SILICONPROF_RUNNABLE_WIDE_BUILDS(kHalfPanels);
  return runnable;
}

}  // namespace siliconprof::cpu
