#include "siliconprof/kernels/cpu/pool_kernels.h"

#if defined(__x86_64__)

#include "siliconprof/kernels/cpu/begin_avx2.inc"

#include "siliconprof/kernels/cpu/pool_loops.inc"

constinit const PoolKernels kPoolKernels = make_pool_kernels("avx2");

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
