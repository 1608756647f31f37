#include "siliconprof/kernels/cpu/norm_kernels.h"

#include "siliconprof/kernels/cpu/begin_generic.inc"

#include "siliconprof/kernels/cpu/norm_loops.inc"

constinit const NormKernels kNormKernels = make_norm_kernels("generic");

#include "siliconprof/kernels/cpu/end_generic.inc"
