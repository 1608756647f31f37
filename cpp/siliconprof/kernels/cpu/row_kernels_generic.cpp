#include "siliconprof/kernels/cpu/row_kernels.h"

#include "siliconprof/kernels/cpu/begin_generic.inc"

#include "siliconprof/kernels/cpu/row_loops.inc"

constinit const RowKernels kRowKernels = make_row_kernels("generic");

#include "siliconprof/kernels/cpu/end_generic.inc"
