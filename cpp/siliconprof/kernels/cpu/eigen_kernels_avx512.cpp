#include "siliconprof/kernels/cpu/eigen_kernels.h"

#if defined(SILICONPROF_EIGEN_BUILDS)

#include "siliconprof/kernels/cpu/eigen_includes.inc"

#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512cd")

#define SILICONPROF_EIGEN_AVX512
#include "siliconprof/kernels/cpu/eigen_target_macros.inc"

// A name of its own keeps the linker from mixing this build of Eigen with the others.
#define Eigen siliconprof_eigen_avx512
#include <Eigen/Core>

namespace siliconprof::cpu {
namespace eigen_avx512 {

#include "siliconprof/kernels/cpu/eigen_products.inc"

}  // namespace eigen_avx512

constinit const EigenKernels kAvx512EigenKernels = eigen_avx512::make_eigen_kernels("avx512");

}  // namespace siliconprof::cpu

#undef Eigen
#pragma GCC pop_options

#endif  // x86-64, GCC
