#include "siliconprof/kernels/cpu/eigen_kernels.h"

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

std::span<const EigenKernels* const> runnable_eigen_kernels() {
#if defined(SILICONPROF_EIGEN_BUILDS)
  static const auto runnable =
      runnable_builds(&kAvx512EigenKernels, &kAvx2EigenKernels, kGenericEigenKernels);
#else
  static const auto runnable =
      runnable_builds<EigenKernels>(nullptr, nullptr, kGenericEigenKernels);
#endif
  return runnable;
}

const EigenKernels& eigen_kernels() { return *runnable_eigen_kernels().front(); }

}  // namespace siliconprof::cpu
