#include "siliconprof/kernels/cpu/winograd_kernels.h"

#include "siliconprof/kernels/cpu/begin_generic.inc"

#include "siliconprof/kernels/cpu/winograd_loops.inc"

constinit const WinogradKernels kWinogradKernels = make_winograd_kernels("generic");

#include "siliconprof/kernels/cpu/end_generic.inc"
