#include "siliconprof/kernels/cpu/attention_kernels.h"

namespace siliconprof::cpu {

std::span<const AttentionKernelTable* const> runnable_attention_kernels() {
#if defined(__x86_64__)
  static const auto runnable = runnable_builds(&avx512::kAttentionKernels, &avx2::kAttentionKernels,
                                               generic::kAttentionKernels);
#else
  static const auto runnable =
      runnable_builds<AttentionKernelTable>(nullptr, nullptr, generic::kAttentionKernels);
#endif
  return runnable;
}

}  // namespace siliconprof::cpu
