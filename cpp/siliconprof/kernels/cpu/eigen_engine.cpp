#include "siliconprof/kernels/cpu/eigen_engine.h"

#include <array>

#include "siliconprof/kernels/cpu/eigen_kernels.h"
#include "siliconprof/kernels/cpu/half_choice.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/shared_kernels.h"

namespace siliconprof::cpu {
namespace {

const ProductFunctions& functions() {
  static const ProductFunctions table{
      .gemm_float32 = eigen_kernels().gemm_float32,
      .gemm_float64 = eigen_kernels().gemm_float64,
      .gemv_float32 = eigen_kernels().gemv_float32,
      .gemv_float64 = eigen_kernels().gemv_float64,
  };
  return table;
}

constexpr auto kKernels = engine_kernels<functions>();

EngineInfo info() {
  return {.name = "eigen",
          .reason = "",
          .version = std::string(eigen_kernels().version),
          .kernel_family = std::string(eigen_kernels().instruction_set),
          .library = "",
          .threading = kThreading};
}

std::string product_path(Dtype dtype) {
  return size_bytes(dtype) == 2 ? half_product_path(dtype) : "native";
}

}  // namespace

constinit const Engine kEigenEngine{
    .name = "eigen",
    .summary = "products by Eigen, built for this CPU's instruction set, own vector kernels",
    .info = info,
    .kernels = kKernels,
    .product_path = product_path,
};

}  // namespace siliconprof::cpu
