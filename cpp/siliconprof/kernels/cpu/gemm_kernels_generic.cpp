#include "siliconprof/kernels/cpu/gemm_kernels.h"

#include <utility>

#include "siliconprof/kernels/cpu/begin_generic.inc"

#include "siliconprof/kernels/cpu/gemm_loops.inc"

constinit const GemmKernelSet kGemmKernels{"generic", tile_kernels<Float32Lanes, 6>({}),
                                           tile_kernels<Float64Lanes, 6>({}), Float32Lanes::fence};

#include "siliconprof/kernels/cpu/end_generic.inc"
