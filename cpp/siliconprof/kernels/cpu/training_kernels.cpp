#include "siliconprof/kernels/cpu/training_kernels.h"

namespace siliconprof::cpu {

std::span<const TrainingKernels* const> runnable_training_kernels() {
  static const auto runnable = SILICONPROF_RUNNABLE_BUILDS(kTrainingKernels);
  return runnable;
}

const TrainingKernels& training_kernels() { return *runnable_training_kernels().front(); }

}  // namespace siliconprof::cpu
