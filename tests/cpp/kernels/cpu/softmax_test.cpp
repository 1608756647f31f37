#include "siliconprof/kernels/cpu/softmax.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"

namespace siliconprof::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Rows of every length class (short, one part, several parts), narrow and wide columns.
const std::vector<std::vector<std::int64_t>> kShapes{
    {1, 1, 1},      {77, 13, 1}, {3000, 64, 1}, {5, 5000, 1}, {2, 150001, 1},
    {1, 150001, 1}, {3, 40, 7},  {2, 300, 65},  {1, 9, 1500}, {1, 2000, 40},
    {40, 1, 3},     {33, 2, 1},  {33, 4, 1},    {33, 8, 1},   {33, 16, 1},
    {9, 24, 1},     {9, 32, 1},  {9, 48, 1},    {9, 80, 1},   {9, 128, 1}};

TEST(Softmax, EveryWayToCutAgreesWithTheDefinition) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      expect_softmax_agrees(kEigenEngine, dims, dtype, 2, 1);
    }
  }
}

TEST(Softmax, AnyThreadCountGivesTheSameBits) {
  for (const auto& dims : kShapes) {
    for (const char* op : {"softmax", "softmax_backward"}) {
      const Example example(op, dims, Dtype::Float32, {}, 3);
      const Tensor one = run(kEigenEngine, example, 1);
      for (const int threads : {2, 3, 5}) {
        const Tensor more = run(kEigenEngine, example, threads);
        EXPECT_EQ(std::memcmp(one.view().data, more.view().data, std::size_t(one.view().bytes())),
                  0)
            << to_string(example.call) << " threads " << threads;
      }
    }
  }
}

TEST(Softmax, RowsWrittenPastTheCachesAreTheSame) {
  constexpr std::int64_t rows = 3;
  for (const Dtype dtype : kCpuDtypes) {
    const SoftmaxKernels& kernels = vector_kernels().elements(dtype).softmax;
    const auto element = std::size_t(size_bytes(dtype));
    for (const std::int64_t n : {8, 16, 32, 48, 64, 100, 128, 1024}) {
      const Example example("softmax", {rows, n, 1}, dtype, {}, 5);
      const void* x = example.inputs[0].view().data;
      // At a line's start, and where no vector may be stored past the caches.
      for (const std::size_t from : {0, 1}) {
        const Tensor near(dtype, Shape{rows * n + 1});
        const Tensor past(dtype, Shape{rows * n + 1});
        char* const kept = near.view().as<char>() + from * element;
        char* const streamed = past.view().as<char>() + from * element;
        kernels.rows(x, kept, rows, n, false);
        kernels.rows(x, streamed, rows, n, true);
        EXPECT_EQ(std::memcmp(kept, streamed, std::size_t(rows * n) * element), 0)
            << name(dtype) << ' ' << n << " from " << from;
      }
    }
  }
}

// As PyTorch: NaN or +inf spoils its row, -inf takes no share, nothing but -inf is NaN.
TEST(Softmax, NonFiniteValuesReachTheirOwnRowOnly) {
  for (const std::int64_t size : {std::int64_t{8}, std::int64_t{16}, std::int64_t{37},
                                  std::int64_t{64}, std::int64_t{5000}, std::int64_t{70000}}) {
    for (const std::int64_t inner : {std::int64_t{1}, std::int64_t{3}}) {
      if (size * inner > 100000) continue;
      const Example example("softmax", {5, size, inner}, Dtype::Float32, {}, 8);
      const Tensor& x = example.inputs[0];
      const auto at = [&](std::int64_t o, std::int64_t r) { return (o * size + r) * inner; };
      set(x, at(0, size - 1), kNan);
      set(x, at(1, 2), kInfinity);
      set(x, at(2, 3), -kInfinity);
      for (std::int64_t r = 0; r < size; ++r) set(x, at(3, r), -kInfinity);
      for (std::int64_t r = 0; r < size - 1; ++r) set(x, at(4, r), -kInfinity);
      const Values y = to_values(run(kEigenEngine, example, 2).view());
      for (std::int64_t r = 0; r < size; ++r) {
        EXPECT_TRUE(std::isnan(y[std::size_t(at(0, r))]));
        EXPECT_TRUE(std::isnan(y[std::size_t(at(1, r))]));
        EXPECT_EQ(y[std::size_t(at(2, r))] == 0.0, r == 3);
        EXPECT_TRUE(std::isnan(y[std::size_t(at(3, r))]));
        EXPECT_EQ(y[std::size_t(at(4, r))], r == size - 1 ? 1.0 : 0.0);
      }
      EXPECT_EQ(std::isfinite(y[std::size_t(at(0, 0) + inner - 1)]), inner > 1);
    }
  }
}

TEST(Softmax, SumsOfLongColumnsLoseNothing) {
  for (const std::int64_t inner : {std::int64_t{1}, std::int64_t{2}}) {
    constexpr std::int64_t size = 1'000'000;
    const Example example("softmax", {1, size, inner}, Dtype::Float32, {}, 8);
    for (std::int64_t i = 0; i < size * inner; ++i) {
      set(example.inputs[0], i, i < inner ? 0.0 : -2.3F);
    }
    const double share = 1.0 / (1.0 + double(size - 1) * std::exp(double(-2.3F)));
    const Values y = to_values(run(kEigenEngine, example, 1).view());
    EXPECT_NEAR(y[0] / share, 1.0, 1e-5) << inner;
  }
}

TEST(Softmax, LargeValuesDoNotOverflow) {
  const Example example("softmax", {1, 40, 1}, Dtype::Float32, {}, 8);
  for (std::int64_t r = 0; r < 40; ++r) set(example.inputs[0], r, r == 7 ? 3e38 : -3e38);
  const Values y = to_values(run(kEigenEngine, example, 1).view());
  for (std::size_t r = 0; r < 40; ++r) EXPECT_EQ(y[r], r == 7 ? 1.0 : 0.0);
}

TEST(Softmax, ExponentialsOfEveryBuildAreWithinTwoUnitsInTheLastPlace) {
  const auto check = []<class T>(const VectorKernels& kernels, Dtype dtype, T, double lowest) {
    constexpr std::int64_t n = 40001;
    std::vector<T> x(n);
    std::vector<T> y(n);
    for (std::int64_t i = 0; i < n; ++i) x[std::size_t(i)] = T(lowest * double(i) / double(n - 1));
    kernels.elements(dtype).softmax.write(x.data(), y.data(), n, 0.0, 1.0, false);
    for (std::size_t i = 0; i < n; ++i) {
      const long double exact = std::exp(static_cast<long double>(x[i]));
      const long double unit = std::max<long double>(exact * std::numeric_limits<T>::epsilon(),
                                                     std::numeric_limits<T>::denorm_min());
      ASSERT_LE(std::abs(static_cast<long double>(y[i]) - exact), 2 * unit)
          << kernels.instruction_set << " exp(" << x[i] << ") = " << y[i];
    }
  };
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    check(*kernels, Dtype::Float32, 0.0F, -110.0);
    check(*kernels, Dtype::Float64, 0.0, -760.0);
  }
}

TEST(Softmax, EveryBuildTakesRowsOfAnyLength) {
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    for (std::int64_t n = 1; n < 80; ++n) {
      std::vector<float> x(std::size_t(3 * n), -2.5F);  // equal terms: shares of 1/n
      std::vector<float> y(x.size() + 1, 77.0F);
      kernels->elements(Dtype::Float32).softmax.rows(x.data(), y.data(), 3, n, n % 2 == 0);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i] * double(n), 1.0, 1e-6);
      EXPECT_EQ(y.back(), 77.0F);
      std::fill(y.begin(), y.end(), 77.0F);
      kernels->elements(Dtype::Float32).softmax.columns(x.data(), y.data(), n, 3, n, n % 2 == 0);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i] * 3.0, 1.0, 1e-6);
      EXPECT_EQ(y.back(), 77.0F);
    }
  }
}

TEST(Softmax, EveryBuildKeepsShortRowsApart) {
  constexpr std::int64_t kRows = 32;
  constexpr std::int64_t kSpoilt = 5;  // a row with a NaN, beside others in a vector
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    for (std::int64_t n = 1; n <= 20; ++n) {
      std::vector<float> x(std::size_t(kRows * n));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i * i % 23) / 4.0F - 3.0F;
      x[std::size_t(kSpoilt * n)] = std::numeric_limits<float>::quiet_NaN();
      std::vector<float> y(x.size());
      kernels->elements(Dtype::Float32).softmax.rows(x.data(), y.data(), kRows, n, false);
      for (std::int64_t r = 0; r < kRows; ++r) {
        const auto row = std::size_t(r * n);
        double total = 0;
        for (std::size_t j = 0; j < std::size_t(n); ++j) total += std::exp(double(x[row + j]));
        for (std::size_t j = 0; j < std::size_t(n); ++j) {
          if (r == kSpoilt) {
            ASSERT_TRUE(std::isnan(y[row + j])) << kernels->instruction_set << " " << n;
          } else {
            ASSERT_NEAR(y[row + j], std::exp(double(x[row + j])) / total, 1e-6)
                << kernels->instruction_set << " " << n << " " << r;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
