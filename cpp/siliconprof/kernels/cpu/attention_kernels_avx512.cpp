#include "siliconprof/kernels/cpu/attention_kernels.h"

#if defined(__x86_64__)

#include <utility>

#include "siliconprof/kernels/cpu/begin_avx512.inc"

#include "siliconprof/kernels/cpu/attention_loops.inc"

constinit const AttentionKernelTable kAttentionKernels = make_attention_kernels("avx512");

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
