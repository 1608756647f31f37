#include "siliconprof/kernels/cpu/sort_kernels.h"

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

std::span<const SortKernelTable* const> runnable_sort_kernels() {
  static const auto runnable = SILICONPROF_RUNNABLE_BUILDS(kSortKernels);
  return runnable;
}

const SortKernelTable& sort_kernels() { return *runnable_sort_kernels().front(); }

}  // namespace siliconprof::cpu
