#include "siliconprof/kernels/cpu/fma_chains.h"

#include <string>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/cpu_features.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Compilers that know the later extensions of AVX-512 without being told to target them.
#if defined(__x86_64__) && defined(__clang__)
#define SILICONPROF_AVX512_BF16 (__clang_major__ >= 16)
#define SILICONPROF_AVX512_FP16 (__clang_major__ >= 16)
#elif defined(__x86_64__)
#define SILICONPROF_AVX512_BF16 (__GNUC__ >= 12)
#define SILICONPROF_AVX512_FP16 (__GNUC__ >= 12)
#endif

namespace siliconprof::cpu {
namespace {

// At least latency times throughput of today's cores (4 cycles, 2 a cycle), and few enough for 16
// registers with the two factors.
constexpr double kChains = 12;

// Each accumulator is a variable of its own: an array could end up in memory. The empty statement
// makes them opaque, else equal chains would be computed once. STEP(a, x, y) is a + x·y; with tiny
// factors the sum stays 2: no overflow and no subnormal, whatever the number of steps.
#define SILICONPROF_CHAINS(TARGET, NAME, VEC, FACTOR, START, STEP, REGISTER)        \
  TARGET void NAME(std::int64_t steps, void* sink) {                                \
    auto x = FACTOR;                                                                \
    auto y = x;                                                                     \
    VEC a = START, b = a, c = a, d = a, e = a, f = a;                               \
    VEC g = a, h = a, i = a, j = a, k = a, l = a;                                   \
    for (std::int64_t s = 0; s < steps; ++s) {                                      \
      __asm__(""                                                                    \
              : "+" REGISTER(a), "+" REGISTER(b), "+" REGISTER(c), "+" REGISTER(d), \
                "+" REGISTER(e), "+" REGISTER(f));                                  \
      __asm__(""                                                                    \
              : "+" REGISTER(g), "+" REGISTER(h), "+" REGISTER(i), "+" REGISTER(j), \
                "+" REGISTER(k), "+" REGISTER(l));                                  \
      a = STEP(a, x, y), b = STEP(b, x, y), c = STEP(c, x, y);                      \
      d = STEP(d, x, y), e = STEP(e, x, y), f = STEP(f, x, y);                      \
      g = STEP(g, x, y), h = STEP(h, x, y), i = STEP(i, x, y);                      \
      j = STEP(j, x, y), k = STEP(k, x, y), l = STEP(l, x, y);                      \
    }                                                                               \
    a = ((a + b) + (c + d)) + ((e + f) + (g + h)) + ((i + j) + (k + l));            \
    __builtin_memcpy(sink, &a, sizeof a);                                           \
  }

#if defined(__x86_64__)

#define SILICONPROF_TARGET(isa) __attribute__((target(isa)))
#define SILICONPROF_STEP(a, x, y) _mm512_fmadd_ps(x, y, a)
SILICONPROF_CHAINS(SILICONPROF_TARGET("avx512f"), run_avx512_float32, __m512,
                   _mm512_set1_ps(0x1p-30F), _mm512_set1_ps(2.0F), SILICONPROF_STEP, "v")
#undef SILICONPROF_STEP
#define SILICONPROF_STEP(a, x, y) _mm512_fmadd_pd(x, y, a)
SILICONPROF_CHAINS(SILICONPROF_TARGET("avx512f"), run_avx512_float64, __m512d,
                   _mm512_set1_pd(0x1p-30), _mm512_set1_pd(2.0), SILICONPROF_STEP, "v")
#undef SILICONPROF_STEP
#define SILICONPROF_STEP(a, x, y) _mm256_fmadd_ps(x, y, a)
SILICONPROF_CHAINS(SILICONPROF_TARGET("avx2,fma"), run_avx2_float32, __m256,
                   _mm256_set1_ps(0x1p-30F), _mm256_set1_ps(2.0F), SILICONPROF_STEP, "x")
#undef SILICONPROF_STEP
#define SILICONPROF_STEP(a, x, y) _mm256_fmadd_pd(x, y, a)
SILICONPROF_CHAINS(SILICONPROF_TARGET("avx2,fma"), run_avx2_float64, __m256d,
                   _mm256_set1_pd(0x1p-30), _mm256_set1_pd(2.0), SILICONPROF_STEP, "x")
#undef SILICONPROF_STEP

#if SILICONPROF_AVX512_FP16
#define SILICONPROF_STEP(a, x, y) _mm512_fmadd_ph(x, y, a)
SILICONPROF_CHAINS(SILICONPROF_TARGET("avx512fp16,avx512bw"), run_avx512_float16, __m512h,
                   _mm512_set1_ph(_Float16(0x1p-8F)), _mm512_set1_ph(_Float16(2.0F)),
                   SILICONPROF_STEP, "v")
#undef SILICONPROF_STEP
#endif
#if SILICONPROF_AVX512_BF16
#define SILICONPROF_STEP(a, x, y) _mm512_dpbf16_ps(a, x, y)
SILICONPROF_CHAINS(SILICONPROF_TARGET("avx512bf16,avx512bw"), run_avx512_bfloat16, __m512,
                   _mm512_cvtne2ps_pbh(_mm512_set1_ps(0x1p-30F), _mm512_set1_ps(0x1p-30F)),
                   _mm512_set1_ps(2.0F), SILICONPROF_STEP, "v")
#undef SILICONPROF_STEP
#endif

#elif defined(__aarch64__)

#define SILICONPROF_STEP(a, x, y) vfmaq_f32(a, x, y)
SILICONPROF_CHAINS(, run_neon_float32, float32x4_t, vdupq_n_f32(0x1p-30F), vdupq_n_f32(2.0F),
                   SILICONPROF_STEP, "w")
#undef SILICONPROF_STEP
#define SILICONPROF_STEP(a, x, y) vfmaq_f64(a, x, y)
SILICONPROF_CHAINS(, run_neon_float64, float64x2_t, vdupq_n_f64(0x1p-30), vdupq_n_f64(2.0),
                   SILICONPROF_STEP, "w")
#undef SILICONPROF_STEP

#endif

#if !defined(__aarch64__)

// Without an instruction for it: a multiplication and an addition. a·x + y with both factors 1/2,
// since x·y would be hoisted out of the loop; it tends to 1.
using Float32x4 = float __attribute__((vector_size(16)));
using Float64x2 = double __attribute__((vector_size(16)));
#if defined(__x86_64__)
#define SILICONPROF_REGISTER "x"
#else
#define SILICONPROF_REGISTER "m"
#endif
#define SILICONPROF_STEP(a, x, y) (a * x + y)
SILICONPROF_CHAINS(, run_generic_float32, Float32x4, (Float32x4{0.5F, 0.5F, 0.5F, 0.5F}),
                   (Float32x4{2, 2, 2, 2}), SILICONPROF_STEP, SILICONPROF_REGISTER)
SILICONPROF_CHAINS(, run_generic_float64, Float64x2, (Float64x2{0.5, 0.5}), (Float64x2{2, 2}),
                   SILICONPROF_STEP, SILICONPROF_REGISTER)
#undef SILICONPROF_STEP

#endif

std::vector<FmaChains> list_runnable() {
  std::vector<FmaChains> found;
  const auto add = [&found](bool can_run, Dtype dtype, std::string_view instruction, double lanes,
                            void (*run)(std::int64_t, void*)) {
    if (can_run) found.push_back({dtype, instruction, 2 * lanes * kChains, run});
  };
#if defined(__x86_64__)
  const CpuFeatures& f = cpu_features();
  add(f.avx512f, Dtype::Float64, "AVX-512 FMA", 8, run_avx512_float64);
  add(f.avx512f, Dtype::Float32, "AVX-512 FMA", 16, run_avx512_float32);
  add(f.avx2 && f.fma, Dtype::Float64, "AVX2 FMA", 4, run_avx2_float64);
  add(f.avx2 && f.fma, Dtype::Float32, "AVX2 FMA", 8, run_avx2_float32);
#if SILICONPROF_AVX512_FP16
  add(f.avx512_fp16, Dtype::Float16, "AVX512-FP16 FMA", 32, run_avx512_float16);
#endif
#if SILICONPROF_AVX512_BF16
  add(f.avx512_bf16, Dtype::BFloat16, "vdpbf16ps", 32, run_avx512_bfloat16);
#endif
#elif defined(__aarch64__)
  add(true, Dtype::Float64, "NEON FMA", 2, run_neon_float64);
  add(true, Dtype::Float32, "NEON FMA", 4, run_neon_float32);
#endif
#if !defined(__aarch64__)
  add(true, Dtype::Float64, "128-bit multiply and add", 2, run_generic_float64);
  add(true, Dtype::Float32, "128-bit multiply and add", 4, run_generic_float32);
#endif
  return found;
}

}  // namespace

std::span<const FmaChains> runnable_fma_chains() {
  static const std::vector<FmaChains> runnable = list_runnable();
  return runnable;
}

const FmaChains& find_fma_chains(Dtype dtype) {
  std::string present;
  for (const FmaChains& chains : runnable_fma_chains()) {
    if (chains.dtype == dtype) return chains;
    const std::string known(name(chains.dtype));
    if (present.find(known) == std::string::npos) present += (present.empty() ? "" : ", ") + known;
  }
  throw DtypeError("[peak] dtype is " + std::string(name(dtype)) +
                   ", for which this CPU or build has no multiply-add; needed: one of " + present);
}

}  // namespace siliconprof::cpu
