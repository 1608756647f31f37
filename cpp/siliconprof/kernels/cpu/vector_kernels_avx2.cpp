#include "siliconprof/kernels/cpu/vector_kernels.h"

#if defined(__x86_64__)

// Everything from elsewhere comes before the pragma, and so stays built for every x86-64.
#include <immintrin.h>

#include <cstddef>
#include <type_traits>

#include "siliconprof/kernels/cpu/half_bits.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif

namespace siliconprof::cpu {
namespace avx2 {

struct Float64Lanes {
  using Scalar = double;
  using Vec = __m256d;
  static constexpr std::int64_t kWidth = 4;
  static Vec fill(double v) { return _mm256_set1_pd(v); }
  static Vec load(const double* p) { return _mm256_loadu_pd(p); }
  static void store(double* p, Vec v) { _mm256_storeu_pd(p, v); }
  static void stream(double* p, Vec v) { _mm256_stream_pd(p, v); }
  static void fence() { _mm_sfence(); }
  static Vec add(Vec a, Vec b) { return _mm256_add_pd(a, b); }
  static Vec mul(Vec a, Vec b) { return _mm256_mul_pd(a, b); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_pd(a, b, c); }
  static Vec least(Vec bound, Vec x) { return _mm256_min_pd(bound, x); }
  static Vec most(Vec bound, Vec x) { return _mm256_max_pd(bound, x); }
  static Vec if_above(Vec x, Vec y, Vec a, Vec b) {
    return _mm256_blendv_pd(b, a, _mm256_cmp_pd(x, y, _CMP_GT_OQ));
  }
  static Vec if_at_most(Vec x, Vec y, Vec a, Vec b) {
    return _mm256_blendv_pd(b, a, _mm256_cmp_pd(x, y, _CMP_LE_OQ));
  }
  static double sum(Vec v) { return (v[0] + v[1]) + (v[2] + v[3]); }
  static Vec max(Vec a, Vec b) { return _mm256_max_pd(a, b); }
  static double largest(Vec v) {
    const Vec pairs = max(v, _mm256_permute2f128_pd(v, v, 1));
    return pairs[0] > pairs[1] ? pairs[0] : pairs[1];
  }
  // In two steps, so that subnormal results come out; n is in the low 32 bits of t.
  static Vec scaled(Vec v, Vec t) {
    const __m256i n = _mm256_castpd_si256(t);
    const __m256i half = _mm256_srai_epi32(n, 1);
    return v * power_of_2(half) * power_of_2(_mm256_sub_epi32(n, half));
  }
  static Vec power_of_2(__m256i n) {
    return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_add_epi32(n, _mm256_set1_epi32(1023)), 52));
  }
};

struct Float32Lanes {
  using Scalar = float;
  using Vec = __m256;
  static constexpr std::int64_t kWidth = 8;
  static Vec fill(double v) { return _mm256_set1_ps(float(v)); }
  static Vec load(const float* p) { return _mm256_loadu_ps(p); }
  static Vec load(const Float16Bits* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Vec load(const BFloat16Bits* p) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
  }
  static __m128i to_float16(Vec v) { return _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT); }
  static __m128i to_bfloat16(Vec v) {
    const __m256i bits = _mm256_castps_si256(v);
    const __m256i high = _mm256_srli_epi32(bits, 16);
    // Adding 0x7fff, and 1 more where the kept part is odd, carries exactly when it should.
    const __m256i bias =
        _mm256_add_epi32(_mm256_and_si256(high, _mm256_set1_epi32(1)), _mm256_set1_epi32(0x7fff));
    const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, bias), 16);
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    // A NaN keeps its sign and upper payload and becomes quiet.
    const __m256i quiet = _mm256_or_si256(high, _mm256_set1_epi32(0x40));
    const __m256i kept = _mm256_blendv_epi8(rounded, quiet, nan);
    return _mm_packus_epi32(_mm256_castsi256_si128(kept), _mm256_extracti128_si256(kept, 1));
  }
  static void store(float* p, Vec v) { _mm256_storeu_ps(p, v); }
  static void store(Float16Bits* p, Vec v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), to_float16(v));
  }
  static void store(BFloat16Bits* p, Vec v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), to_bfloat16(v));
  }
  static void stream(float* p, Vec v) { _mm256_stream_ps(p, v); }
  static void stream(Float16Bits* p, Vec v) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(p), to_float16(v));
  }
  static void stream(BFloat16Bits* p, Vec v) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(p), to_bfloat16(v));
  }
  static void fence() { _mm_sfence(); }
  static Vec add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
  static Vec mul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
  static Vec least(Vec bound, Vec x) { return _mm256_min_ps(bound, x); }
  static Vec most(Vec bound, Vec x) { return _mm256_max_ps(bound, x); }
  static Vec if_above(Vec x, Vec y, Vec a, Vec b) {
    return _mm256_blendv_ps(b, a, _mm256_cmp_ps(x, y, _CMP_GT_OQ));
  }
  static Vec if_at_most(Vec x, Vec y, Vec a, Vec b) {
    return _mm256_blendv_ps(b, a, _mm256_cmp_ps(x, y, _CMP_LE_OQ));
  }
  static float sum(Vec v) {
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
  }
  static Vec max(Vec a, Vec b) { return _mm256_max_ps(a, b); }
  static float largest(Vec v) {
    const Vec fours = max(v, _mm256_permute2f128_ps(v, v, 1));
    const Vec pairs = max(fours, _mm256_permute_ps(fours, 0x4e));
    return pairs[0] > pairs[1] ? pairs[0] : pairs[1];
  }
  // In two steps, so that subnormal results come out.
  static Vec scaled(Vec v, Vec t) {
    const __m256i n = _mm256_sub_epi32(_mm256_castps_si256(t), _mm256_set1_epi32(0x4b400000));
    const __m256i half = _mm256_srai_epi32(n, 1);
    return v * power_of_2(half) * power_of_2(_mm256_sub_epi32(n, half));
  }
  static Vec power_of_2(__m256i n) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(127)), 23));
  }
};

#include "siliconprof/kernels/cpu/vector_loops.inc"

}  // namespace avx2

constinit const VectorKernels kAvx2VectorKernels = avx2::make_vector_kernels("avx2");

}  // namespace siliconprof::cpu

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // x86-64
