#include "siliconprof/kernels/cpu/training_kernels.h"

namespace siliconprof::cpu {

std::span<const TrainingKernels* const> runnable_training_kernels() {
#if defined(__x86_64__)
  static const auto runnable = runnable_builds(&avx512::kTrainingKernels, &avx2::kTrainingKernels,
                                               generic::kTrainingKernels);
#else
  static const auto runnable =
      runnable_builds<TrainingKernels>(nullptr, nullptr, generic::kTrainingKernels);
#endif
  return runnable;
}

const TrainingKernels& training_kernels() { return *runnable_training_kernels().front(); }

}  // namespace siliconprof::cpu
