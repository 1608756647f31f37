#include "siliconprof/kernels/cpu/eigen_engine.h"

#include <algorithm>
#include <array>

#include "siliconprof/kernels/cpu/eigen_kernels.h"
#include "siliconprof/kernels/cpu/half_product.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/shared_kernels.h"

namespace siliconprof::cpu {
namespace {

// A thread's share is worth its start from this many elements of A on.
constexpr std::int64_t kGrainElements = 32768;

/// Eigen's matrix-vector product runs on one thread: each takes a share of the results.
template <class T>
void share_gemv(void (*gemv)(const GemvCall<T>&), const GemvCall<T>& all) {
  const std::int64_t results = all.transpose ? all.n : all.m;
  const std::int64_t terms = all.transpose ? all.m : all.n;
  const std::int64_t grain = std::max<std::int64_t>(16, kGrainElements / terms);
  parallel_shares(all.threads, results, grain, [&](std::int64_t begin, std::int64_t end, int) {
    GemvCall<T> share = all;
    (all.transpose ? share.n : share.m) = end - begin;
    share.a += all.transpose ? begin : begin * all.lda;
    share.y += begin;
    gemv(share);
  });
}

const ProductFunctions& functions() {
  static const ProductFunctions table{
      .set_threads = eigen_kernels().set_threads,
      .gemm_float32 = eigen_kernels().gemm_float32,
      .gemm_float64 = eigen_kernels().gemm_float64,
      .gemv_float32 = [](const GemvCall<float>& g) { share_gemv(eigen_kernels().gemv_float32, g); },
      .gemv_float64 =
          [](const GemvCall<double>& g) { share_gemv(eigen_kernels().gemv_float64, g); },
      .whole_gemv_float32 = eigen_kernels().gemv_float32,
      .whole_gemv_float64 = eigen_kernels().gemv_float64,
  };
  return table;
}

constexpr auto kKernels = engine_kernels<functions>();

EngineInfo info() {
  return {
    .name = "eigen", .reason = "", .version = std::string(eigen_kernels().version),
    .kernel_family = std::string(eigen_kernels().instruction_set), .library = "",
#if defined(_OPENMP)
    .threading = "openmp"
  };
#elif defined(SILICONPROF_STD_THREADS)
    .threading = "std"
  };
#else
    .threading = "none"
  };
#endif
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
