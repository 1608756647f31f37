#include "siliconprof/kernels/cpu/movement_kernels.h"

#include "siliconprof/kernels/cpu/begin_generic.inc"

#include "siliconprof/kernels/cpu/movement_loops.inc"

constinit const MovementKernels kMovementKernels = make_movement_kernels("generic");

#include "siliconprof/kernels/cpu/end_generic.inc"
