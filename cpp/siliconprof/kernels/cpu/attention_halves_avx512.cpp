#include "siliconprof/kernels/cpu/attention_halves.h"

#if defined(__x86_64__)

#include <utility>

#include "siliconprof/kernels/cpu/begin_avx512.inc"
#include "siliconprof/kernels/cpu/transpose_avx512.inc"

/// The nearest bfloat16, of two equally near ones the greater in size, as the upper half. A NaN
/// stays one unless its fraction begins with eight ones, as none does that arithmetic makes.
static inline __m512i rounded_half(__m512 x) {
  return _mm512_add_epi32(_mm512_castps_si512(x), _mm512_set1_epi32(0x8000));
}

static inline void store_pairs(std::uint32_t* out, __m512 even, __m512 odd) {
  const __m512i low = _mm512_srli_epi32(rounded_half(even), 16);
  _mm512_storeu_si512(out, _mm512_mask_blend_epi16(0xaaaaaaaa, low, rounded_half(odd)));
}

static inline void store_line(std::uint16_t* out, __m512 x) {
  const __m512i low = _mm512_srli_epi32(rounded_half(x), 16);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi32_epi16(low));
}

static inline void turn_block(const float* in, float* out) {
  __m512i r[16];
  for (Index i = 0; i < 16; ++i) r[i] = _mm512_loadu_si512(in + i * kPanelLines);
  transpose_registers(r);
  for (Index i = 0; i < 16; ++i) _mm512_storeu_si512(out + i * kPanelLines, r[i]);
}

#include "siliconprof/kernels/cpu/attention_halves_loops.inc"

constinit const AttentionHalfLoops kAttentionHalves = make_attention_halves("avx512");

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
