#include "siliconprof/kernels/cpu/row_kernels.h"

namespace siliconprof::cpu {

std::span<const RowKernels* const> runnable_row_kernels() {
#if defined(__x86_64__)
  static const auto runnable =
      runnable_builds(&avx512::kRowKernels, &avx2::kRowKernels, generic::kRowKernels);
#else
  static const auto runnable = runnable_builds<RowKernels>(nullptr, nullptr, generic::kRowKernels);
#endif
  return runnable;
}

}  // namespace siliconprof::cpu
