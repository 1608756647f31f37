#include "siliconprof/kernels/cpu/llama_kernels.h"

namespace siliconprof::cpu {

std::span<const LlamaKernels* const> runnable_llama_kernels() {
  static const auto runnable = SILICONPROF_RUNNABLE_BUILDS(kLlamaKernels);
  return runnable;
}

const LlamaKernels& llama_kernels() { return *runnable_llama_kernels().front(); }

}  // namespace siliconprof::cpu
