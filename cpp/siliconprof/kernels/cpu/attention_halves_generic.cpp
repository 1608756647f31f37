#include "siliconprof/kernels/cpu/attention_halves.h"

#include "siliconprof/kernels/cpu/begin_generic.inc"

static inline void store_pairs(std::uint32_t* out, Float32Lanes::Vec even, Float32Lanes::Vec odd) {
  BFloat16Bits low[Float32Lanes::kWidth];
  BFloat16Bits high[Float32Lanes::kWidth];
  Float32Lanes::store(low, even);
  Float32Lanes::store(high, odd);
  for (Index i = 0; i < Float32Lanes::kWidth; ++i) {
    out[i] = std::uint32_t(low[i].bits) | std::uint32_t(high[i].bits) << 16;
  }
}

static inline void store_line(std::uint16_t* out, Float32Lanes::Vec x) {
  BFloat16Bits line[Float32Lanes::kWidth];
  Float32Lanes::store(line, x);
  for (Index i = 0; i < Float32Lanes::kWidth; ++i) out[i] = line[i].bits;
}

static inline void turn_block(const float* in, float* out) {
  for (Index i = 0; i < 16; ++i) {
    for (Index j = 0; j < 16; ++j) out[j * kPanelLines + i] = in[i * kPanelLines + j];
  }
}

#include "siliconprof/kernels/cpu/attention_halves_loops.inc"

constinit const AttentionHalfLoops kAttentionHalves = make_attention_halves("generic");

#include "siliconprof/kernels/cpu/end_generic.inc"
