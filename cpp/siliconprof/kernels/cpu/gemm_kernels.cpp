#include "siliconprof/kernels/cpu/gemm_kernels.h"

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

std::span<const GemmKernelSet* const> runnable_gemm_kernels() {
  static const auto runnable = SILICONPROF_RUNNABLE_BUILDS(kGemmKernels);
  return runnable;
}

const GemmKernelSet& gemm_kernels() { return *runnable_gemm_kernels().front(); }

}  // namespace siliconprof::cpu
