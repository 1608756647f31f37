#include "siliconprof/kernels/cpu/movement_kernels.h"

#if defined(__x86_64__)

#include "siliconprof/kernels/cpu/begin_avx2.inc"

#include "siliconprof/kernels/cpu/movement_loops.inc"

constinit const MovementKernels kMovementKernels = make_movement_kernels("avx2");

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
