#include "siliconprof/kernels/cpu/sort_kernels.h"

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

std::span<const SortKernelTable* const> runnable_sort_kernels() {
#if defined(__x86_64__)
  static const auto runnable =
      runnable_builds(&avx512::kSortKernels, &avx2::kSortKernels, generic::kSortKernels);
#else
  static const auto runnable =
      runnable_builds<SortKernelTable>(nullptr, nullptr, generic::kSortKernels);
#endif
  return runnable;
}

const SortKernelTable& sort_kernels() { return *runnable_sort_kernels().front(); }

}  // namespace siliconprof::cpu
