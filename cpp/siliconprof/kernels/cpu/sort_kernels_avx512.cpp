#include "siliconprof/kernels/cpu/sort_kernels.h"

#if defined(__x86_64__)

#include "siliconprof/kernels/cpu/begin_avx512.inc"

/// Keys of sort_loops.inc.
struct KeyLanes {
  using Keys = __m512i;
  static constexpr Index kWidth = 8;
  static Keys load(const std::int64_t* p) { return _mm512_load_si512(p); }
  static void store(std::int64_t* p, Keys k) { _mm512_store_si512(p, k); }
  static Keys least(Keys a, Keys b) { return _mm512_min_epi64(a, b); }
  static Keys most(Keys a, Keys b) { return _mm512_max_epi64(a, b); }
  static Keys same_place(std::int32_t place) { return _mm512_set1_epi64(place); }
  static Keys places_from(std::int32_t place) {
    return _mm512_add_epi64(_mm512_set1_epi64(place), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static Keys encode(const float* x, Keys place, std::int32_t flip) {
    const __m256 value = _mm256_loadu_ps(x);
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i sign = _mm256_srai_epi32(bits, 31);
    __m256i k = _mm256_xor_si256(bits, _mm256_and_si256(sign, _mm256_set1_epi32(0x7fffffff)));
    const __mmask8 minus_zero = _mm256_cmpeq_epi32_mask(bits, _mm256_set1_epi32(INT32_MIN));
    const __mmask8 nan = _mm256_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    k = _mm256_mask_mov_epi32(k, minus_zero, _mm256_setzero_si256());
    k = _mm256_mask_mov_epi32(k, nan, _mm256_set1_epi32(INT32_MAX));
    k = _mm256_xor_si256(k, _mm256_set1_epi32(flip));
    const Keys low = _mm512_add_epi64(place, place);
    const Keys marked = _mm512_mask_add_epi64(low, minus_zero, low, _mm512_set1_epi64(1));
    return _mm512_or_si512(_mm512_slli_epi64(_mm512_cvtepi32_epi64(k), 32), marked);
  }
  static void decode(Keys keys, std::int32_t flip, float* x, std::int32_t* places) {
    const __m256i low = _mm512_cvtepi64_epi32(keys);
    const __m256i high = _mm512_cvtepi64_epi32(_mm512_srli_epi64(keys, 32));
    const __m256i k = _mm256_xor_si256(high, _mm256_set1_epi32(flip));
    const __m256i sign = _mm256_srai_epi32(k, 31);
    const __m256i bits = _mm256_xor_si256(k, _mm256_and_si256(sign, _mm256_set1_epi32(0x7fffffff)));
    // The mark of a -0 becomes its sign.
    const __m256i value = _mm256_or_si256(bits, _mm256_slli_epi32(low, 31));
    _mm256_storeu_ps(x, _mm256_castsi256_ps(value));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(places), _mm256_srli_epi32(low, 1));
  }
  static void transpose(Keys (&r)[8]) {
    Keys t[8];
    for (int i = 0; i < 8; i += 2) {
      t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
      t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
    }
    for (int i = 0; i < 2; ++i) {
      r[i] = _mm512_shuffle_i64x2(t[i], t[i + 2], 0x88);
      r[i + 2] = _mm512_shuffle_i64x2(t[i], t[i + 2], 0xdd);
      r[i + 4] = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0x88);
      r[i + 6] = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0xdd);
    }
    for (int i = 0; i < 4; ++i) {
      t[i] = _mm512_shuffle_i64x2(r[i], r[i + 4], 0x88);
      t[i + 4] = _mm512_shuffle_i64x2(r[i], r[i + 4], 0xdd);
    }
    for (int i = 0; i < 8; ++i) r[i] = t[i];
  }
};

#include "siliconprof/kernels/cpu/sort_loops.inc"

constinit const SortKernelTable kSortKernels = make_sort_kernels("avx512");

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
