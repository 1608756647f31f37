#include "siliconprof/kernels/cpu/llama_kernels.h"

#include "siliconprof/kernels/cpu/begin_generic.inc"

#include "siliconprof/kernels/cpu/llama_loops.inc"

constinit const LlamaKernels kLlamaKernels = make_llama_kernels("generic");

#include "siliconprof/kernels/cpu/end_generic.inc"
