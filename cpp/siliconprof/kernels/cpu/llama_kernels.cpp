#include "siliconprof/kernels/cpu/llama_kernels.h"

#include <string>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/cpu_features.h"

namespace siliconprof::cpu {

const LlamaLoops& LlamaKernels::elements(Dtype dtype) const {
  switch (dtype) {
    case Dtype::Float64:
      return float64;
    case Dtype::Float32:
      return float32;
    case Dtype::Float16:
      return float16;
    case Dtype::BFloat16:
      return bfloat16;
    case Dtype::Tf32:
    case Dtype::Int32:
      break;
  }
  throw DtypeError("[cpu] dtype is " + std::string(name(dtype)) +
                   "; needed: float64, float32, float16 or bfloat16");
}

std::span<const LlamaKernels* const> runnable_llama_kernels() {
  static const std::vector<const LlamaKernels*> runnable = [] {
    std::vector<const LlamaKernels*> found;
#if defined(__x86_64__)
    if (cpu_features().has_avx512_kernels()) found.push_back(&avx512::kLlamaKernels);
    if (cpu_features().has_avx2_kernels()) found.push_back(&avx2::kLlamaKernels);
#endif
    found.push_back(&generic::kLlamaKernels);
    return found;
  }();
  return runnable;
}

const LlamaKernels& llama_kernels() { return *runnable_llama_kernels().front(); }

}  // namespace siliconprof::cpu
