#include "siliconprof/kernels/cpu/vector_kernels.h"

#if defined(__x86_64__)

#include "siliconprof/kernels/cpu/begin_avx512.inc"

#include "siliconprof/kernels/cpu/vector_loops.inc"

constinit const VectorKernels kVectorKernels = make_vector_kernels("avx512");

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
