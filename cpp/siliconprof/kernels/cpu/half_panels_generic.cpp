#include "siliconprof/kernels/cpu/half_panels.h"

#include "siliconprof/kernels/cpu/begin_generic.inc"

static inline void transpose_block(const std::uint32_t* in, Index in_stride, std::uint32_t* out,
                                   Index out_stride, bool) {
  for (Index i = 0; i < 16; ++i) {
    for (Index j = 0; j < 16; ++j) out[j * out_stride + i] = in[i * in_stride + j];
  }
}

#include "siliconprof/kernels/cpu/half_panels_loops.inc"

constinit const HalfPanelKernels kHalfPanels{"generic", half_panels<Float16Bits>(),
                                             half_panels<BFloat16Bits>()};

#include "siliconprof/kernels/cpu/end_generic.inc"
