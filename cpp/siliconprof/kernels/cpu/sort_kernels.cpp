#include "siliconprof/kernels/cpu/sort_kernels.h"

#include <vector>

#include "siliconprof/kernels/cpu/cpu_features.h"

namespace siliconprof::cpu {

std::span<const SortKernelTable* const> runnable_sort_kernels() {
  static const std::vector<const SortKernelTable*> runnable = [] {
    std::vector<const SortKernelTable*> found;
#if defined(__x86_64__)
    if (cpu_features().has_avx512_kernels()) found.push_back(&avx512::kSortKernels);
    if (cpu_features().has_avx2_kernels()) found.push_back(&avx2::kSortKernels);
#endif
    found.push_back(&generic::kSortKernels);
    return found;
  }();
  return runnable;
}

const SortKernelTable& sort_kernels() { return *runnable_sort_kernels().front(); }

}  // namespace siliconprof::cpu
