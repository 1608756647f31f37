#include "siliconprof/kernels/cpu/attention_kernels.h"

#include <utility>

#include "siliconprof/kernels/cpu/begin_generic.inc"

#include "siliconprof/kernels/cpu/attention_loops.inc"

constinit const AttentionKernelTable kAttentionKernels = make_attention_kernels("generic");

#include "siliconprof/kernels/cpu/end_generic.inc"
