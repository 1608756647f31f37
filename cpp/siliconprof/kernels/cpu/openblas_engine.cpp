#include "siliconprof/kernels/cpu/openblas_engine.h"

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/eigen_kernels.h"
#include "siliconprof/kernels/cpu/half_choice.h"
#include "siliconprof/kernels/cpu/openblas_library.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/shared_kernels.h"

namespace siliconprof::cpu {
namespace {

/// The bfloat16 product pays where it runs on matrix tiles. On vectors it came to half the rate of
/// converting to float32 (158 against 310 GFLOP/s on two cores), so there it is left alone.
bool uses_bfloat16_product() {
  return openblas().has_bfloat16() && openblas().corename == "SapphireRapids" &&
         cpu_features().amx_bf16;
}

const ProductFunctions& functions() {
  static const ProductFunctions table = [] {
    ProductFunctions f{
        .gemm_float32 = [](const GemmCall<float>& call) { openblas().gemm(call); },
        .gemm_float64 = [](const GemmCall<double>& call) { openblas().gemm(call); },
        .gemv_float32 = [](const GemvCall<float>& call) { openblas().gemv(call); },
        .gemv_float64 = [](const GemvCall<double>& call) { openblas().gemv(call); },
    };
    // OpenBLAS takes memory for each from a pool that all threads share, behind one lock: 32 rows
    // times matrices of 1000x128 take 0.4 of the time by Eigen on 16 threads, 0.9 on two.
    if (const EigenKernels& eigen = eigen_kernels(); eigen.instruction_set != "generic") {
      f.whole_gemv_float32 = eigen.gemv_float32;
      f.whole_gemv_float64 = eigen.gemv_float64;
    }
    if (uses_bfloat16_product()) {
      f.gemm_bfloat16 = [](const GemmCall<BFloat16Bits, float>& call) { openblas().gemm(call); };
    }
    return f;
  }();
  return table;
}

constexpr auto kKernels = engine_kernels<functions>();

EngineInfo info() {
  EngineInfo info{.name = "openblas",
                  .reason = "",
                  .version = "",
                  .kernel_family = "",
                  .library = "",
                  .threading = ""};
  try {
    const OpenBlas& library = openblas();
    info.version = openblas_version(library.config);
    info.kernel_family = library.corename;
    info.library = library.path;
    info.threading = kThreading;
  } catch (const EngineUnavailable& error) {
    info.available = false;
    info.reason = error.what();
  }
  return info;
}

std::string product_path(Dtype dtype) {
  if (size_bytes(dtype) != 2) return "native";
  if (half_machine() == nullptr && dtype == Dtype::BFloat16 && uses_bfloat16_product()) {
    return "sbgemm";
  }
  return half_product_path(dtype);
}

}  // namespace

constinit const Engine kOpenBlasEngine{
    .name = "openblas",
    .summary = "products by OpenBLAS with the kernels that suit this CPU, own vector kernels",
    .info = info,
    .kernels = kKernels,
    .product_path = product_path,
};

}  // namespace siliconprof::cpu
