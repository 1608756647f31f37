#include "siliconprof/kernels/cpu/vector_kernels.h"

#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

const ElementKernels& VectorKernels::elements(Dtype dtype) const { return of_dtype(*this, dtype); }

const HalfKernels& VectorKernels::products(Dtype dtype) const {
  if (dtype == Dtype::Float16) return float16_products;
  if (dtype == Dtype::BFloat16) return bfloat16_products;
  throw DtypeError("[cpu] dtype is " + std::string(name(dtype)) + "; needed: float16 or bfloat16");
}

std::span<const VectorKernels* const> runnable_vector_kernels() {
#if defined(__x86_64__)
  static const auto runnable =
      runnable_builds(&avx512::kVectorKernels, &avx2::kVectorKernels, generic::kVectorKernels);
#else
  static const auto runnable =
      runnable_builds<VectorKernels>(nullptr, nullptr, generic::kVectorKernels);
#endif
  return runnable;
}

const VectorKernels& vector_kernels() { return *runnable_vector_kernels().front(); }

}  // namespace siliconprof::cpu
