#include "siliconprof/kernels/cpu/log_mel_kernels.h"

#include <string>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/cpu_features.h"

namespace siliconprof::cpu {

const LogMelKernels& LogMelKernelTable::of(Dtype dtype) const {
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
  throw DtypeError("[log_mel] dtype is " + std::string(name(dtype)) +
                   "; needed: float64, float32, float16 or bfloat16");
}

std::span<const LogMelKernelTable* const> runnable_log_mel_kernels() {
  static const std::vector<const LogMelKernelTable*> runnable = [] {
    std::vector<const LogMelKernelTable*> found;
#if defined(__x86_64__)
    if (cpu_features().has_avx512_kernels()) found.push_back(&avx512::kLogMelKernels);
    if (cpu_features().has_avx2_kernels()) found.push_back(&avx2::kLogMelKernels);
#endif
    found.push_back(&generic::kLogMelKernels);
    return found;
  }();
  return runnable;
}

}  // namespace siliconprof::cpu
