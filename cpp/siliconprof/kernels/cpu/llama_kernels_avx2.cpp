#include "siliconprof/kernels/cpu/llama_kernels.h"

#if defined(__x86_64__)

#include "siliconprof/kernels/cpu/begin_avx2.inc"

#include "siliconprof/kernels/cpu/llama_loops.inc"

constinit const LlamaKernels kLlamaKernels = make_llama_kernels("avx2");

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
