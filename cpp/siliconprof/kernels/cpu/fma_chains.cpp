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

// Compilers that know later extensions, of AVX-512 or of NEON, without being told to target them.
#if defined(__x86_64__) && defined(__clang__)
#define SILICONPROF_AVX512_BF16 (__clang_major__ >= 16)
#define SILICONPROF_AVX512_FP16 (__clang_major__ >= 16)
#elif defined(__x86_64__)
#define SILICONPROF_AVX512_BF16 (__GNUC__ >= 12)
#define SILICONPROF_AVX512_FP16 (__GNUC__ >= 12)
#elif defined(__aarch64__) && defined(__clang__)
#define SILICONPROF_NEON_HALVES (__clang_major__ >= 16)
#elif defined(__aarch64__)
#define SILICONPROF_NEON_HALVES (__GNUC__ >= 11)
#endif

namespace siliconprof::cpu {
namespace {

// Sixes of chains: at least latency times throughput of today's cores, and few enough for the
// registers with the two factors. 4 cycles and 2 a cycle, 16 registers; of arm64, as Apple's large
// cores and Arm's Neoverse V have it, 4 a cycle, 32 registers.
#if defined(__aarch64__)
#define SILICONPROF_REGISTER "w"
#define SILICONPROF_SIXES(EACH) EACH(0) EACH(1) EACH(2) EACH(3)
constexpr double kChains = 24;
#else
#if defined(__x86_64__)
#define SILICONPROF_REGISTER "v"
#else
#define SILICONPROF_REGISTER "m"
#endif
#define SILICONPROF_SIXES(EACH) EACH(0) EACH(1)
constexpr double kChains = 12;
#endif

// Each accumulator is a variable of its own: an array could end up in memory.
#define SILICONPROF_START(n) \
  auto a##n = start, b##n = start, c##n = start, d##n = start, e##n = start, f##n = start;
// The empty statement makes them opaque, else equal chains would be computed once.
#define SILICONPROF_HIDE(n)                                                 \
  __asm__(""                                                                \
          : "+" SILICONPROF_REGISTER(a##n), "+" SILICONPROF_REGISTER(b##n), \
            "+" SILICONPROF_REGISTER(c##n), "+" SILICONPROF_REGISTER(d##n), \
            "+" SILICONPROF_REGISTER(e##n), "+" SILICONPROF_REGISTER(f##n));
#define SILICONPROF_ADVANCE(n)                                              \
  a##n = SILICONPROF_STEP(a##n, x, y), b##n = SILICONPROF_STEP(b##n, x, y); \
  c##n = SILICONPROF_STEP(c##n, x, y), d##n = SILICONPROF_STEP(d##n, x, y); \
  e##n = SILICONPROF_STEP(e##n, x, y), f##n = SILICONPROF_STEP(f##n, x, y);
#define SILICONPROF_SUM(n) total += ((a##n + b##n) + (c##n + d##n)) + (e##n + f##n);

// SILICONPROF_STEP(a, x, y) is a + x·y; with tiny factors the sum stays 2: no overflow and no
// subnormal, whatever the number of steps.
#define SILICONPROF_CHAINS(TARGET, NAME, VEC, FACTOR, START)                     \
  TARGET void NAME(std::int64_t steps, void* sink) {                             \
    auto x = FACTOR;                                                             \
    auto y = x;                                                                  \
    const VEC start = START;                                                     \
    SILICONPROF_SIXES(SILICONPROF_START)                                         \
    for (std::int64_t s = 0; s < steps; ++s) {                                   \
      SILICONPROF_SIXES(SILICONPROF_HIDE) SILICONPROF_SIXES(SILICONPROF_ADVANCE) \
    }                                                                            \
    VEC total{};                                                                 \
    SILICONPROF_SIXES(SILICONPROF_SUM)                                           \
    __builtin_memcpy(sink, &total, sizeof total);                                \
  }

#define SILICONPROF_TARGET(isa) __attribute__((target(isa)))

#if defined(__x86_64__)

#define SILICONPROF_STEP(a, x, y) _mm512_fmadd_ps(x, y, a)
SILICONPROF_CHAINS(SILICONPROF_TARGET("avx512f"), run_avx512_float32, __m512,
                   _mm512_set1_ps(0x1p-30F), _mm512_set1_ps(2.0F))
#undef SILICONPROF_STEP
#define SILICONPROF_STEP(a, x, y) _mm512_fmadd_pd(x, y, a)
SILICONPROF_CHAINS(SILICONPROF_TARGET("avx512f"), run_avx512_float64, __m512d,
                   _mm512_set1_pd(0x1p-30), _mm512_set1_pd(2.0))
#undef SILICONPROF_STEP
#define SILICONPROF_STEP(a, x, y) _mm256_fmadd_ps(x, y, a)
SILICONPROF_CHAINS(SILICONPROF_TARGET("avx2,fma"), run_avx2_float32, __m256,
                   _mm256_set1_ps(0x1p-30F), _mm256_set1_ps(2.0F))
#undef SILICONPROF_STEP
#define SILICONPROF_STEP(a, x, y) _mm256_fmadd_pd(x, y, a)
SILICONPROF_CHAINS(SILICONPROF_TARGET("avx2,fma"), run_avx2_float64, __m256d,
                   _mm256_set1_pd(0x1p-30), _mm256_set1_pd(2.0))
#undef SILICONPROF_STEP

#if SILICONPROF_AVX512_FP16
#define SILICONPROF_STEP(a, x, y) _mm512_fmadd_ph(x, y, a)
SILICONPROF_CHAINS(SILICONPROF_TARGET("avx512fp16,avx512bw"), run_avx512_float16, __m512h,
                   _mm512_set1_ph(_Float16(0x1p-8F)), _mm512_set1_ph(_Float16(2.0F)))
#undef SILICONPROF_STEP
#endif
#if SILICONPROF_AVX512_BF16
#define SILICONPROF_STEP(a, x, y) _mm512_dpbf16_ps(a, x, y)
SILICONPROF_CHAINS(SILICONPROF_TARGET("avx512bf16,avx512bw"), run_avx512_bfloat16, __m512,
                   _mm512_cvtne2ps_pbh(_mm512_set1_ps(0x1p-30F), _mm512_set1_ps(0x1p-30F)),
                   _mm512_set1_ps(2.0F))
#undef SILICONPROF_STEP
#endif

#elif defined(__aarch64__)

#define SILICONPROF_STEP(a, x, y) vfmaq_f32(a, x, y)
SILICONPROF_CHAINS(, run_neon_float32, float32x4_t, vdupq_n_f32(0x1p-30F), vdupq_n_f32(2.0F))
#undef SILICONPROF_STEP
#define SILICONPROF_STEP(a, x, y) vfmaq_f64(a, x, y)
SILICONPROF_CHAINS(, run_neon_float64, float64x2_t, vdupq_n_f64(0x1p-30), vdupq_n_f64(2.0))
#undef SILICONPROF_STEP

#if SILICONPROF_NEON_HALVES
#define SILICONPROF_STEP(a, x, y) vfmaq_f16(a, x, y)
SILICONPROF_CHAINS(SILICONPROF_TARGET("arch=armv8.2-a+fp16"), run_neon_float16, float16x8_t,
                   vdupq_n_f16(float16_t(0x1p-8F)), vdupq_n_f16(float16_t(2.0F)))
#undef SILICONPROF_STEP
#define SILICONPROF_STEP(a, x, y) vbfdotq_f32(a, x, y)
SILICONPROF_CHAINS(SILICONPROF_TARGET("arch=armv8.2-a+bf16"), run_neon_bfloat16, float32x4_t,
                   vdupq_n_bf16(vcvth_bf16_f32(0x1p-30F)), vdupq_n_f32(2.0F))
#undef SILICONPROF_STEP
#endif

#endif

#if !defined(__aarch64__)

// Without an instruction for it: a multiplication and an addition. a·x + y with both factors 1/2,
// since x·y would be hoisted out of the loop; it tends to 1.
using Float32x4 = float __attribute__((vector_size(16)));
using Float64x2 = double __attribute__((vector_size(16)));
#define SILICONPROF_STEP(a, x, y) (a * x + y)
SILICONPROF_CHAINS(, run_generic_float32, Float32x4, (Float32x4{0.5F, 0.5F, 0.5F, 0.5F}),
                   (Float32x4{2, 2, 2, 2}))
SILICONPROF_CHAINS(, run_generic_float64, Float64x2, (Float64x2{0.5, 0.5}), (Float64x2{2, 2}))
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
#if SILICONPROF_NEON_HALVES
  const CpuFeatures& f = cpu_features();
  add(f.asimdhp, Dtype::Float16, "NEON FP16 FMA", 8, run_neon_float16);
  add(f.bf16, Dtype::BFloat16, "bfdot", 8, run_neon_bfloat16);
#endif
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
