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
  static const auto runnable = SILICONPROF_RUNNABLE_BUILDS(kVectorKernels);
  return runnable;
}

const VectorKernels& vector_kernels() { return *runnable_vector_kernels().front(); }

}  // namespace siliconprof::cpu
