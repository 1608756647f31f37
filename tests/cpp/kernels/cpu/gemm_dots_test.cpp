#include "siliconprof/kernels/cpu/gemm_dots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace siliconprof::cpu {
namespace {

template <class T>
void expect_dots(const GemmKernels<T>& kernels, std::int64_t rows, std::int64_t columns,
                 std::int64_t k, bool with_bias) {
  const std::int64_t a_step = k + 3;
  const std::int64_t b_step = k + 5;
  std::vector<T> a(std::size_t(rows * a_step), std::numeric_limits<T>::quiet_NaN());
  std::vector<T> b(std::size_t(columns * b_step), std::numeric_limits<T>::quiet_NaN());
  for (std::int64_t l = 0; l < k; ++l) {
    for (std::int64_t r = 0; r < rows; ++r) a[std::size_t(r * a_step + l)] = T(r + l % 3);
    for (std::int64_t j = 0; j < columns; ++j) b[std::size_t(j * b_step + l)] = T(j - l % 5);
  }
  const std::vector<T> bias{10, 20, 30, 40, 50, 60};
  std::vector<T> c(std::size_t(rows * 7), T(-1));
  kernels.dots.tiles[std::size_t(rows - 1)][std::size_t(columns - 1)](
      {a.data(), a_step, b.data(), b_step, k, c.data(), 7, with_bias ? bias.data() : nullptr});
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t j = 0; j < 7; ++j) {
      T sum = j < columns && with_bias ? bias[std::size_t(j)] : T(0);
      for (std::int64_t l = 0; l < k; ++l) sum += T((r + l % 3) * (j - l % 5));
      EXPECT_EQ(c[std::size_t(r * 7 + j)], j < columns ? sum : T(-1)) << r << " " << j << " " << k;
    }
  }
}

TEST(GemmDots, OfEveryLengthAreExactForWholeNumbers) {
  for (const GemmKernelSet* set : runnable_gemm_kernels()) {
    EXPECT_EQ(set->float32.dots.columns, set->float64.dots.columns);
    for (std::int64_t columns = 1; columns <= std::int64_t(kMostDotColumns); ++columns) {
      const bool there = set->float32.dots.tiles[0][std::size_t(columns - 1)] != nullptr;
      EXPECT_EQ(there, columns <= set->float32.dots.columns);
      for (std::int64_t rows = 1; there && rows <= std::int64_t(kMostDotRows); ++rows) {
        for (std::int64_t k = 0; k < 150; ++k) {
          expect_dots(set->float32, rows, columns, k, k % 2 == 0);
          expect_dots(set->float64, rows, columns, k, k % 2 == 0);
        }
      }
    }
  }
}

GemmProduct<float> layer(std::int64_t m, std::int64_t k, std::int64_t n) {
  return {m, k, n, nullptr, k, 1, nullptr, 1, k, nullptr, n};
}

TEST(GemmDots, SuitFewRowsOrColumnsWhoseTermsFollowEachOther) {
  const GemmKernels<float>& kernels = gemm_kernels().float32;
  const std::int64_t few_rows = kernels.dots.columns * 4;
  EXPECT_TRUE(suits_dots(layer(1000, 100000, 3)));
  EXPECT_FALSE(suits_dots(layer(1000, 16385, 4)));
  EXPECT_TRUE(suits_dots(layer(1000, 16384, kernels.dots.columns)));
  EXPECT_TRUE(suits_dots(layer(few_rows, 100, 5000)));
  EXPECT_FALSE(suits_dots(layer(few_rows + 1, 100, 5000)));
  // More columns than a tile's where A is in a core's own cache.
  const std::int64_t twice = 2 * kernels.dots.columns;
  const std::int64_t near = kernels.own_cache_bytes() / 512;  // rows
  EXPECT_EQ(suits_dots(layer(std::max(near, few_rows + 1), 128, twice)), near > few_rows);
  EXPECT_FALSE(suits_dots(layer(near + few_rows + 1, 128, twice)));
  EXPECT_FALSE(suits_dots(layer(100, 127, twice)));
  GemmProduct<float> other = layer(2, 100, 2);
  other.b_row = 2;
  other.b_column = 1;
  EXPECT_FALSE(suits_dots(other));
}

}  // namespace
}  // namespace siliconprof::cpu
