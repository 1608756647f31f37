#include "siliconprof/kernels/cpu/llama_kernels.h"

namespace siliconprof::cpu {

std::span<const LlamaKernels* const> runnable_llama_kernels() {
#if defined(__x86_64__)
  static const auto runnable =
      runnable_builds(&avx512::kLlamaKernels, &avx2::kLlamaKernels, generic::kLlamaKernels);
#else
  static const auto runnable =
      runnable_builds<LlamaKernels>(nullptr, nullptr, generic::kLlamaKernels);
#endif
  return runnable;
}

const LlamaKernels& llama_kernels() { return *runnable_llama_kernels().front(); }

}  // namespace siliconprof::cpu
