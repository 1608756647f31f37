#include "siliconprof/kernels/cpu/eigen_kernels.h"

#if defined(SILICONPROF_EIGEN_BUILDS)

#include "siliconprof/kernels/cpu/eigen_includes.inc"

#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")

#include "siliconprof/kernels/cpu/eigen_target_macros.inc"

// A name of its own keeps the linker from mixing this build of Eigen with the others.
#define Eigen siliconprof_eigen_avx2
#include <Eigen/Core>

namespace siliconprof::cpu {
namespace eigen_avx2 {

#include "siliconprof/kernels/cpu/eigen_products.inc"

}  // namespace eigen_avx2

constinit const EigenKernels kAvx2EigenKernels = eigen_avx2::make_eigen_kernels("avx2");

}  // namespace siliconprof::cpu

#undef Eigen
#pragma GCC pop_options

#endif  // x86-64, GCC
