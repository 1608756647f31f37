#include "siliconprof/kernels/cpu/row_kernels.h"

namespace siliconprof::cpu {

std::span<const RowKernels* const> runnable_row_kernels() {
  static const auto runnable = SILICONPROF_RUNNABLE_BUILDS(kRowKernels);
  return runnable;
}

}  // namespace siliconprof::cpu
