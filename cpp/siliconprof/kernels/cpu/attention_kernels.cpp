#include "siliconprof/kernels/cpu/attention_kernels.h"

namespace siliconprof::cpu {

std::span<const AttentionKernelTable* const> runnable_attention_kernels() {
  static const auto runnable = SILICONPROF_RUNNABLE_BUILDS(kAttentionKernels);
  return runnable;
}

}  // namespace siliconprof::cpu
