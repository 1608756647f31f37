#include "siliconprof/kernels/cpu/movement_kernels.h"

#if defined(__x86_64__)

#include "siliconprof/kernels/cpu/begin_avx512.inc"

#include "siliconprof/kernels/cpu/transpose_avx512.inc"
// The loops take its block.
#include "siliconprof/kernels/cpu/movement_loops.inc"

constinit const MovementKernels kMovementKernels = make_movement_kernels("avx512");

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
