#include "siliconprof/kernels/cpu/shared_products.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace siliconprof::cpu {
namespace {

std::atomic<int> calls{0};

void naive_gemm(const GemmCall<float>& g) {
  ++calls;
  for (std::int64_t i = 0; i < g.m; ++i) {
    for (std::int64_t j = 0; j < g.n; ++j) {
      float sum = g.accumulate ? g.c[i * g.ldc + j] : 0.0F;
      for (std::int64_t l = 0; l < g.k; ++l) {
        sum += g.a[g.transpose_a ? l * g.lda + i : i * g.lda + l] *
               g.b[g.transpose_b ? j * g.ldb + l : l * g.ldb + j];
      }
      g.c[i * g.ldc + j] = sum;
    }
  }
}

void naive_gemv(const GemvCall<double>& g) {
  ++calls;
  for (std::int64_t i = 0; i < (g.transpose ? g.n : g.m); ++i) {
    double sum = g.accumulate ? g.y[i] : 0.0;
    for (std::int64_t l = 0; l < (g.transpose ? g.m : g.n); ++l) {
      sum += g.a[g.transpose ? l * g.lda + i : i * g.lda + l] * g.x[l];
    }
    g.y[i] = sum;
  }
}

/// Whole numbers, so that sums are exact in any order.
template <class T>
std::vector<T> some(std::int64_t n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = T(i * 7 % 11) - T(5);
  return values;
}

// Each number of C once, and none past the columns.
TEST(SharedProducts, PiecesOfAProductAreTheWhole) {
  for (const auto& [m, k, n] :
       {std::array<std::int64_t, 3>{150, 40, 170}, {1000, 30, 17}, {5, 300, 2001}, {64, 50, 160}}) {
    for (const int transposes : {0, 1, 2, 3}) {
      for (const bool accumulate : {false, true}) {
        const std::vector<float> a = some<float>(m * k);
        const std::vector<float> b = some<float>(k * n);
        const std::int64_t row = n + 3;
        std::vector<float> expected = some<float>(m * row);
        std::vector<float> found = expected;
        GemmCall<float> all{.transpose_a = transposes % 2 == 1,
                            .transpose_b = transposes > 1,
                            .m = m,
                            .k = k,
                            .n = n,
                            .a = a.data(),
                            .lda = transposes % 2 == 1 ? m : k,
                            .b = b.data(),
                            .ldb = transposes > 1 ? k : n,
                            .c = expected.data(),
                            .ldc = row,
                            .accumulate = accumulate};
        naive_gemm(all);
        all.c = found.data();
        calls = 0;
        share_gemm(naive_gemm, all, 4);
        EXPECT_GT(calls, 1);
        EXPECT_EQ(found, expected) << m << " " << transposes;
      }
    }
  }
}

TEST(SharedProducts, ASmallProductIsOnePiece) {
  const std::vector<float> a = some<float>(400);
  std::vector<float> c(400);
  calls = 0;
  share_gemm(naive_gemm, {false, false, 20, 20, 20, a.data(), 20, a.data(), 20, c.data(), 20}, 4);
  EXPECT_EQ(calls, 1);
}

// Many results, and few of many terms.
TEST(SharedProducts, PiecesOfAProductWithAVectorAreTheWhole) {
  for (const auto& [m, n] :
       {std::array<std::int64_t, 2>{3000, 50}, {50, 5000}, {3, 60000}, {60000, 3}, {2, 2}}) {
    for (const bool transpose : {false, true}) {
      for (const bool accumulate : {false, true}) {
        const std::vector<double> a = some<double>(m * n);
        const std::vector<double> x = some<double>(transpose ? m : n);
        std::vector<double> expected = some<double>(transpose ? n : m);
        std::vector<double> found = expected;
        GemvCall<double> all{transpose, accumulate, m, n, a.data(), n, x.data(), expected.data()};
        naive_gemv(all);
        all.y = found.data();
        calls = 0;
        share_gemv(naive_gemv, all, 4);
        EXPECT_EQ(calls > 1, m * n > 1000) << m;
        EXPECT_EQ(found, expected) << m << " " << transpose;
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
