#include "siliconprof/kernels/cpu/vector_kernels.h"

#if defined(__x86_64__)

// Everything from elsewhere comes before the pragma, and so stays built for every x86-64.
#include <immintrin.h>

#include <cstddef>
#include <type_traits>

#include "siliconprof/kernels/cpu/half_bits.h"

#if defined(__clang__)
#pragma clang attribute push(                                                             \
    __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512cd"))), \
    apply_to = function)
#else
// GCC 12 finds the "undefined" operands inside its own intrinsics uninitialised (PR 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512cd")
#endif

namespace siliconprof::cpu {
namespace avx512 {

struct Float64Lanes {
  using Scalar = double;
  using Vec = __m512d;
  static constexpr std::int64_t kWidth = 8;
  static Vec fill(double v) { return _mm512_set1_pd(v); }
  static Vec load(const double* p) { return _mm512_loadu_pd(p); }
  static void store(double* p, Vec v) { _mm512_storeu_pd(p, v); }
  static void stream(double* p, Vec v) { _mm512_stream_pd(p, v); }
  static void fence() { _mm_sfence(); }
  static Vec add(Vec a, Vec b) { return _mm512_add_pd(a, b); }
  static Vec mul(Vec a, Vec b) { return _mm512_mul_pd(a, b); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_pd(a, b, c); }
  static Vec least(Vec bound, Vec x) { return _mm512_min_pd(bound, x); }
  static Vec most(Vec bound, Vec x) { return _mm512_max_pd(bound, x); }
  static Vec times_power_of_2(Vec x, Vec k) { return _mm512_scalef_pd(x, k); }
  static Vec if_above(Vec x, Vec y, Vec a, Vec b) {
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(x, y, _CMP_GT_OQ), b, a);
  }
  static Vec if_at_most(Vec x, Vec y, Vec a, Vec b) {
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(x, y, _CMP_LE_OQ), b, a);
  }
  static double sum(Vec v) { return _mm512_reduce_add_pd(v); }
  static Vec max(Vec a, Vec b) { return _mm512_max_pd(a, b); }
  static double largest(Vec v) { return _mm512_reduce_max_pd(v); }
  static Vec scaled(Vec v, Vec t) {
    return _mm512_scalef_pd(v, _mm512_sub_pd(t, _mm512_set1_pd(6755399441055744.0)));
  }
};

struct Float32Lanes {
  using Scalar = float;
  using Vec = __m512;
  static constexpr std::int64_t kWidth = 16;
  static Vec fill(double v) { return _mm512_set1_ps(float(v)); }
  static Vec load(const float* p) { return _mm512_loadu_ps(p); }
  static Vec load(const Float16Bits* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static Vec load(const BFloat16Bits* p) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
  }
  static __m256i to_float16(Vec v) { return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT); }
  static __m256i to_bfloat16(Vec v) {
    const __m512i bits = _mm512_castps_si512(v);
    const __m512i high = _mm512_srli_epi32(bits, 16);
    // Adding 0x7fff, and 1 more where the kept part is odd, carries exactly when it should.
    const __m512i bias =
        _mm512_add_epi32(_mm512_and_si512(high, _mm512_set1_epi32(1)), _mm512_set1_epi32(0x7fff));
    const __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(bits, bias), 16);
    const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    // A NaN keeps its sign and upper payload and becomes quiet.
    const __m512i kept = _mm512_mask_or_epi32(rounded, nan, high, _mm512_set1_epi32(0x40));
    return _mm512_cvtepi32_epi16(kept);
  }
  static void store(float* p, Vec v) { _mm512_storeu_ps(p, v); }
  static void store(Float16Bits* p, Vec v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), to_float16(v));
  }
  static void store(BFloat16Bits* p, Vec v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), to_bfloat16(v));
  }
  static void stream(float* p, Vec v) { _mm512_stream_ps(p, v); }
  static void stream(Float16Bits* p, Vec v) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(p), to_float16(v));
  }
  static void stream(BFloat16Bits* p, Vec v) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(p), to_bfloat16(v));
  }
  static void fence() { _mm_sfence(); }
  static Vec add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
  static Vec mul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
  static Vec least(Vec bound, Vec x) { return _mm512_min_ps(bound, x); }
  static Vec most(Vec bound, Vec x) { return _mm512_max_ps(bound, x); }
  static Vec times_power_of_2(Vec x, Vec k) { return _mm512_scalef_ps(x, k); }
  static Vec if_above(Vec x, Vec y, Vec a, Vec b) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, y, _CMP_GT_OQ), b, a);
  }
  static Vec if_at_most(Vec x, Vec y, Vec a, Vec b) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, y, _CMP_LE_OQ), b, a);
  }
  static float sum(Vec v) { return _mm512_reduce_add_ps(v); }
  static Vec max(Vec a, Vec b) { return _mm512_max_ps(a, b); }
  static float largest(Vec v) { return _mm512_reduce_max_ps(v); }
  static Vec scaled(Vec v, Vec t) {
    return _mm512_scalef_ps(v, _mm512_sub_ps(t, _mm512_set1_ps(12582912.0F)));
  }
};

#include "siliconprof/kernels/cpu/vector_loops.inc"

}  // namespace avx512

constinit const VectorKernels kAvx512VectorKernels = avx512::make_vector_kernels("avx512");

}  // namespace siliconprof::cpu

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // x86-64
