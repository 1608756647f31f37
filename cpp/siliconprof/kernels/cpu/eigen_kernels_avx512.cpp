#include "siliconprof/kernels/cpu/eigen_kernels.h"

#if defined(SILICONPROF_EIGEN_BUILDS)

// All that Eigen includes comes before the pragma, and so stays built for every x86-64.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <type_traits>
#if defined(_OPENMP)
#include <omp.h>
#endif

// GCC 12 finds the "undefined" operands inside its own intrinsics uninitialised (PR 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
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
