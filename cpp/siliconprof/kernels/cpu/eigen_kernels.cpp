#include "siliconprof/kernels/cpu/eigen_kernels.h"

#include <vector>

#include "siliconprof/kernels/cpu/cpu_features.h"

namespace siliconprof::cpu {

std::span<const EigenKernels* const> runnable_eigen_kernels() {
  static const std::vector<const EigenKernels*> runnable = [] {
    std::vector<const EigenKernels*> found;
#if defined(SILICONPROF_EIGEN_BUILDS)
    if (cpu_features().has_avx512_kernels()) found.push_back(&kAvx512EigenKernels);
    if (cpu_features().has_avx2_kernels()) found.push_back(&kAvx2EigenKernels);
#endif
    found.push_back(&kGenericEigenKernels);
    return found;
  }();
  return runnable;
}

const EigenKernels& eigen_kernels() { return *runnable_eigen_kernels().front(); }

}  // namespace siliconprof::cpu
