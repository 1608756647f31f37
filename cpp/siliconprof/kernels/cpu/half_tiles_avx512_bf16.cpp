#include "siliconprof/kernels/cpu/half_tiles.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "siliconprof/kernels/cpu/half_panels.h"

#define SILICONPROF_DOTS __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))

namespace siliconprof::cpu::avx512_bf16 {
namespace {

using Index = std::int64_t;

constexpr Index kVectors = kPanelLines / 16;
constexpr Index kStripPairs = 256;

/// One part of a step: rows of A, whose pairs are 16 apart, times a panel's columns.
template <int Rows>
[[gnu::always_inline]] SILICONPROF_DOTS inline void add_step(const std::uint32_t* a,
                                                             const std::uint32_t* b,
                                                             __m512 (&sum)[Rows][kVectors]) {
#pragma GCC unroll 1
  for (Index p = 0; p < 16; ++p) {
    __m512bh columns[kVectors];
#pragma GCC unroll 2
    for (Index v = 0; v < kVectors; ++v) {
      columns[v] = __m512bh(_mm512_loadu_si512(b + v * kStripPairs + 16 * p));
    }
#pragma GCC unroll 16
    for (Index r = 0; r < Rows; ++r) {
      const auto pair = __m512bh(_mm512_set1_epi32(int(a[16 * r + p])));
#pragma GCC unroll 2
      for (Index v = 0; v < kVectors; ++v) {
        sum[r][v] = _mm512_dpbf16_ps(sum[r][v], pair, columns[v]);
      }
    }
  }
}

/// Rows [row, row + Rows) of a tile.
template <int Rows, bool kSplit>
SILICONPROF_DOTS void multiply_rows(const HalfTile& t, Index row) {
  float* c = t.c + row * kPanelLines;
  __m512 sum[Rows][kVectors];
#pragma GCC unroll 16
  for (Index r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
    for (Index v = 0; v < kVectors; ++v) {
      sum[r][v] =
          t.accumulate ? _mm512_loadu_ps(c + r * kPanelLines + 16 * v) : _mm512_setzero_ps();
    }
  }
  const std::uint32_t* a = t.a + 16 * row;
  const std::uint32_t* b = t.b;
  constexpr std::int64_t step_pairs = (kSplit ? 2 : 1) * kStepPairs;
  for (std::int64_t step = 0; step < t.steps; ++step, a += step_pairs, b += step_pairs) {
    add_step<Rows>(a, b, sum);
    if constexpr (kSplit) {
      add_step<Rows>(a, b + kStepPairs, sum);
      add_step<Rows>(a + kStepPairs, b, sum);
      add_step<Rows>(a + kStepPairs, b + kStepPairs, sum);
    }
  }
#pragma GCC unroll 16
  for (Index r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
    for (Index v = 0; v < kVectors; ++v) {
      _mm512_storeu_ps(c + r * kPanelLines + 16 * v, sum[r][v]);
    }
  }
}

/// As many rows at once as there are registers for their sums, nearly as many each time.
template <bool kSplit>
void multiply_parts(const HalfTile& t) {
  multiply_rows<11, kSplit>(t, 0);
  multiply_rows<11, kSplit>(t, 11);
  multiply_rows<10, kSplit>(t, 22);
}

void multiply(const HalfTile& t) {
  if (t.parts == 2) return multiply_parts<true>(t);
  multiply_parts<false>(t);
}

void nothing() {}

}  // namespace

constinit const HalfTileKernels kHalfTiles{"avx512_bf16", 2, nothing, multiply, nothing};

}  // namespace siliconprof::cpu::avx512_bf16

#endif  // x86-64
