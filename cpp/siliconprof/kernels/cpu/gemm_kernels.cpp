#include "siliconprof/kernels/cpu/gemm_kernels.h"

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

std::span<const GemmKernelSet* const> runnable_gemm_kernels() {
#if defined(__x86_64__)
  static const auto runnable =
      runnable_builds(&avx512::kGemmKernels, &avx2::kGemmKernels, generic::kGemmKernels);
#else
  static const auto runnable =
      runnable_builds<GemmKernelSet>(nullptr, nullptr, generic::kGemmKernels);
#endif
  return runnable;
}

const GemmKernelSet& gemm_kernels() { return *runnable_gemm_kernels().front(); }

}  // namespace siliconprof::cpu
