#include "siliconprof/kernels/cpu/pool_kernels.h"

#include "siliconprof/kernels/cpu/begin_generic.inc"

#include "siliconprof/kernels/cpu/pool_loops.inc"

constinit const PoolKernels kPoolKernels = make_pool_kernels("generic");

#include "siliconprof/kernels/cpu/end_generic.inc"
