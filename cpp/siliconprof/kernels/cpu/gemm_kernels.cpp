#include "siliconprof/kernels/cpu/gemm_kernels.h"

#include <vector>

#include "siliconprof/kernels/cpu/cpu_features.h"

namespace siliconprof::cpu {

std::span<const GemmKernelSet* const> runnable_gemm_kernels() {
  static const std::vector<const GemmKernelSet*> runnable = [] {
    std::vector<const GemmKernelSet*> found;
#if defined(__x86_64__)
    if (cpu_features().has_avx512_kernels()) found.push_back(&avx512::kGemmKernels);
    if (cpu_features().has_avx2_kernels()) found.push_back(&avx2::kGemmKernels);
#endif
    found.push_back(&generic::kGemmKernels);
    return found;
  }();
  return runnable;
}

const GemmKernelSet& gemm_kernels() { return *runnable_gemm_kernels().front(); }

}  // namespace siliconprof::cpu
