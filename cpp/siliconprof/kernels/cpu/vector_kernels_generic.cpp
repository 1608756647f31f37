#include "siliconprof/kernels/cpu/vector_kernels.h"

#include "siliconprof/kernels/cpu/begin_generic.inc"

#include "siliconprof/kernels/cpu/vector_loops.inc"

constinit const VectorKernels kVectorKernels = make_vector_kernels("generic");

#include "siliconprof/kernels/cpu/end_generic.inc"
