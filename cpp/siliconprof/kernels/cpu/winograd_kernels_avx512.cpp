#include "siliconprof/kernels/cpu/winograd_kernels.h"

#if defined(__x86_64__)

#include "siliconprof/kernels/cpu/begin_avx512.inc"

#include "siliconprof/kernels/cpu/winograd_loops.inc"

constinit const WinogradKernels kWinogradKernels = make_winograd_kernels("avx512");

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
