#pragma once

// Eigen's products, built once per instruction set and chosen at run time: Eigen has kernels only
// for the instruction set that it is compiled for.

#include <span>
#include <string_view>

#include "siliconprof/kernels/cpu/product_functions.h"

namespace siliconprof::cpu {

/// All on the calling thread alone.
struct EigenKernels {
  std::string_view instruction_set;  // "avx512", "avx2", "generic"
  std::string_view version;
  void (*gemm_float32)(const GemmCall<float>&);
  void (*gemm_float64)(const GemmCall<double>&);
  void (*gemv_float32)(const GemvCall<float>&);
  void (*gemv_float64)(const GemvCall<double>&);
};

/// Those that this CPU can run, best first.
std::span<const EigenKernels* const> runnable_eigen_kernels();
/// The best of them.
const EigenKernels& eigen_kernels();

extern const EigenKernels kGenericEigenKernels;
// The other compiler does not show a pragma's instruction set to Eigen.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SILICONPROF_EIGEN_BUILDS
extern const EigenKernels kAvx2EigenKernels;
extern const EigenKernels kAvx512EigenKernels;
#endif

}  // namespace siliconprof::cpu
