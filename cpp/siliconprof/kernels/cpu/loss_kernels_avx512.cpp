#include "siliconprof/kernels/cpu/loss_kernels.h"

#if defined(__x86_64__)

#include "siliconprof/kernels/cpu/begin_avx512.inc"

#include "siliconprof/kernels/cpu/loss_loops.inc"

constinit const LossKernels kLossKernels = make_loss_kernels("avx512");

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
