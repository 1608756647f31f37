#include "siliconprof/kernels/cpu/vector_kernels.h"

#include <string>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/cpu_features.h"

namespace siliconprof::cpu {

const ElementKernels& VectorKernels::elements(Dtype dtype) const {
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

const HalfKernels& VectorKernels::products(Dtype dtype) const {
  if (dtype == Dtype::Float16) return float16_products;
  if (dtype == Dtype::BFloat16) return bfloat16_products;
  throw DtypeError("[cpu] dtype is " + std::string(name(dtype)) + "; needed: float16 or bfloat16");
}

std::span<const VectorKernels* const> runnable_vector_kernels() {
  static const std::vector<const VectorKernels*> runnable = [] {
    std::vector<const VectorKernels*> found;
#if defined(__x86_64__)
    if (cpu_features().has_avx512_kernels()) found.push_back(&avx512::kVectorKernels);
    if (cpu_features().has_avx2_kernels()) found.push_back(&avx2::kVectorKernels);
#endif
    found.push_back(&generic::kVectorKernels);
    return found;
  }();
  return runnable;
}

const VectorKernels& vector_kernels() { return *runnable_vector_kernels().front(); }

}  // namespace siliconprof::cpu
