#include "siliconprof/kernels/cpu/half_panels.h"

#if defined(__x86_64__)

#include "siliconprof/kernels/cpu/begin_avx512.inc"
#include "siliconprof/kernels/cpu/transpose_avx512.inc"

#include "siliconprof/kernels/cpu/half_panels_loops.inc"

constinit const HalfPanelKernels kHalfPanels{"avx512", half_panels<Float16Bits>(),
                                             half_panels<BFloat16Bits>()};

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
