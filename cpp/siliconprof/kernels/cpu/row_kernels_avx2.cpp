#include "siliconprof/kernels/cpu/row_kernels.h"

#if defined(__x86_64__)

#include "siliconprof/kernels/cpu/begin_avx2.inc"

#include "siliconprof/kernels/cpu/row_loops.inc"

constinit const RowKernels kRowKernels = make_row_kernels("avx2");

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
