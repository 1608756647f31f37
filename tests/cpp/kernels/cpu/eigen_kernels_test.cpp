#include "siliconprof/kernels/cpu/eigen_kernels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace siliconprof::cpu {
namespace {

// Small integers, so that every order of summation is exact.
template <class T>
std::vector<T> integers(std::int64_t n, int stride) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(T(int(i * stride % 9) - 4));
  return values;
}

template <class T>
void check_gemm(void (*gemm)(const GemmCall<T>&), bool ta, bool tb, bool accumulate) {
  constexpr std::int64_t m = 45;
  constexpr std::int64_t k = 33;
  constexpr std::int64_t n = 51;
  const std::int64_t lda = (ta ? m : k) + 2;
  const std::int64_t ldb = (tb ? k : n) + 1;
  const auto a = integers<T>((ta ? k : m) * lda, 2);
  const auto b = integers<T>((tb ? n : k) * ldb, 5);
  std::vector<T> c(std::size_t(m * (n + 3)), T(77));
  gemm({ta, tb, m, k, n, a.data(), lda, b.data(), ldb, c.data(), n + 3, accumulate});
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      T expected = accumulate ? 77 : 0;
      for (std::int64_t l = 0; l < k; ++l) {
        expected += a[std::size_t(ta ? l * lda + i : i * lda + l)] *
                    b[std::size_t(tb ? j * ldb + l : l * ldb + j)];
      }
      ASSERT_EQ(c[std::size_t(i * (n + 3) + j)], expected);
    }
    ASSERT_EQ(c[std::size_t(i * (n + 3) + n)], T(77)) << "between rows";
  }
}

template <class T>
void check_gemv(void (*gemv)(const GemvCall<T>&), bool transpose, bool accumulate) {
  constexpr std::int64_t m = 45;
  constexpr std::int64_t n = 33;
  const auto a = integers<T>(m * (n + 2), 2);
  const auto x = integers<T>(m, 5);
  std::vector<T> y(std::size_t(m), T(3));
  gemv({transpose, accumulate, m, n, a.data(), n + 2, x.data(), y.data()});
  for (std::int64_t i = 0; i < (transpose ? n : m); ++i) {
    T expected = accumulate ? 3 : 0;
    for (std::int64_t l = 0; l < (transpose ? m : n); ++l) {
      expected += a[std::size_t(transpose ? l * (n + 2) + i : i * (n + 2) + l)] * x[std::size_t(l)];
    }
    ASSERT_EQ(y[std::size_t(i)], expected);
  }
}

TEST(EigenKernels, EveryBuildMultipliesInAllStorages) {
  for (const EigenKernels* kernels : runnable_eigen_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        check_gemm(kernels->gemm_float32, ta, tb, false);
        check_gemm(kernels->gemm_float32, ta, tb, true);
        check_gemm(kernels->gemm_float64, ta, tb, false);
        check_gemm(kernels->gemm_float64, ta, tb, true);
        check_gemv(kernels->gemv_float32, ta, tb);
        check_gemv(kernels->gemv_float64, ta, tb);
      }
    }
  }
}

TEST(EigenKernels, TheBestBuildComesFirst) {
  EXPECT_EQ(&eigen_kernels(), runnable_eigen_kernels().front());
  EXPECT_EQ(runnable_eigen_kernels().back()->instruction_set, "generic");
}

}  // namespace
}  // namespace siliconprof::cpu
