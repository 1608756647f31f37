#include "siliconprof/kernels/cpu/norm_kernels.h"

#include <gtest/gtest.h>

#include "norm_agreement.h"

namespace siliconprof::cpu {
namespace {

TEST(NormKernels, EveryBuildAgreesWithTheBestOnRowsAndRuns) {
  const NormLoops& best = norm_loops(Dtype::Float64);
  for (const NormKernels* kernels : runnable_norm_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const std::int64_t n : {1, 5, 16, 63, 64, 65, 1000, 5001}) {
      std::vector<double> x(std::size_t(n), 0.0);
      std::vector<double> dy(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = double(i % 7) - 3;
        dy[i] = double(i % 5) - 1;
      }
      const NormLoops& loops = kernels->float64;
      double mean = 0, squares = 0, wanted_mean = 0, wanted_squares = 0;
      best.moments(x.data(), n, &wanted_mean, &wanted_squares);
      loops.moments(x.data(), n, &mean, &squares);
      EXPECT_NEAR(mean, wanted_mean, 1e-13);
      EXPECT_NEAR(squares, wanted_squares, 1e-9);
      double sum = 0, dot = 0, wanted_sum = 0, wanted_dot = 0;
      best.slope_sums(x.data(), dy.data(), n, 0.5, &wanted_sum, &wanted_dot);
      loops.slope_sums(x.data(), dy.data(), n, 0.5, &sum, &dot);
      EXPECT_EQ(sum, wanted_sum);  // whole and half numbers: exact in any order
      EXPECT_EQ(dot, wanted_dot);
      EXPECT_EQ(loops.square_sum(x.data(), n), best.square_sum(x.data(), n));
      std::vector<double> y(x.size() + 1, 77.0);
      loops.blend(x.data(), dy.data(), 0.5, 2, 3, 4, y.data(), n, n % 2 == 0);
      loops.fence();
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 2 * (x[i] - 0.5) + 3 * dy[i] + 4);
      EXPECT_EQ(y.back(), 77.0);
      loops.affine(x.data(), 0.5, 2, 4, y.data(), n, n % 2 == 0);
      loops.fence();
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 2 * (x[i] - 0.5) + 4);
    }
  }
}

// Rows 0, 1, 2, ... of equal columns: the mean is (rows - 1)/2 in each.
TEST(NormKernels, EveryBuildTakesColumnsOfAnyCount) {
  for (const NormKernels* kernels : runnable_norm_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    constexpr std::int64_t rows = 33;
    for (std::int64_t n = 1; n < 300; n += n < 70 ? 1 : 57) {
      std::vector<float> x(std::size_t(rows * n));
      std::vector<float> dy(x.size(), 0.5F);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(std::int64_t(i) / n);
      std::vector<float> near(std::size_t(n) + 1, 77.0F);
      std::vector<float> past(near);
      std::vector<float> squares(near);
      kernels->float32.column_moments(x.data(), n, rows, n, near.data(), past.data(),
                                      squares.data());
      const std::vector<double> exact(std::size_t(n), 16.0);
      std::vector<double> totals(std::size_t(n), 0.0);
      kernels->float32.add_squares(near.data(), past.data(), squares.data(), exact.data(), rows,
                                   totals.data(), n);
      const std::vector<float> mean(exact.begin(), exact.end());
      std::vector<float> sums(near);
      std::vector<float> dots(near);
      kernels->float32.column_slope_sums(x.data(), dy.data(), n, rows, n, mean.data(), sums.data(),
                                         dots.data());
      for (std::size_t j = 0; j < std::size_t(n); ++j) {
        ASSERT_EQ(near[j], 12.0F);  // of rows 0, 8, 16 and 24
        ASSERT_EQ(past[j], 33.0F * 4);
        ASSERT_EQ(totals[j], 2992.0);  // 2·(1 + 4 + ... + 256)
        ASSERT_EQ(sums[j], 16.5F);
        ASSERT_EQ(dots[j], 0.0F);
      }
      EXPECT_EQ(near.back(), 77.0F);
      EXPECT_EQ(past.back(), 77.0F);
      EXPECT_EQ(squares.back(), 77.0F);
    }
  }
}

// Two rows of 2^24 + 2 and two of the number before, 2^24: their mean is none of the format.
TEST(NormKernels, EveryBuildKeepsTheDigitsOfColumnsFarFrom0) {
  for (const NormKernels* kernels : runnable_norm_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const std::int64_t n : {1, 7, 16, 150}) {
      const auto columns = std::size_t(n);
      std::vector<float> x(4 * columns, 0x1p24F);
      for (std::size_t i = 0; i < 2 * columns; ++i) x[i] += 2;
      std::vector<float> near(columns), past(columns), squares(columns);
      kernels->float32.column_moments(x.data(), n, 4, n, near.data(), past.data(), squares.data());
      std::vector<double> total(columns, 0.0);
      const std::vector<double> mean(columns, 0x1p24 + 1);
      kernels->float32.add_squares(near.data(), past.data(), squares.data(), mean.data(), 4,
                                   total.data(), n);
      for (std::size_t j = 0; j < columns; ++j) {
        ASSERT_EQ(double(near[j]) + double(past[j]) / 4, mean[j]);
        ASSERT_EQ(total[j], 4.0);
      }
    }
  }
}

TEST(NormKernels, EveryBuildScalesColumnsAndBlendsThem) {
  for (const NormKernels* kernels : runnable_norm_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    constexpr std::int64_t rows = 3;
    for (const std::int64_t n : {1, 5, 16, 37, 64}) {
      std::vector<float> x(std::size_t(rows * n)), dy(x.size()), y(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = 1000.0F + float(i % 7);
        dy[i] = float(i % 5);
      }
      const std::vector<float> centre(std::size_t(n), 1001.0F), two(centre.size(), 2.0F),
          three(centre.size(), 3.0F), four(centre.size(), 4.0F);
      kernels->float32.column_affine(x.data(), centre.data(), two.data(), four.data(), y.data(),
                                     rows, n, false);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 2 * (x[i] - 1001) + 4);
      kernels->float32.column_blend(x.data(), dy.data(), centre.data(), two.data(), three.data(),
                                    four.data(), y.data(), rows, n, false);
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(y[i], 2 * (x[i] - 1001) + 3 * dy[i] + 4);
      }
      kernels->float32.column_affine(x.data(), nullptr, two.data(), four.data(), y.data(), rows, n,
                                     false);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 2 * x[i] + 4);
      kernels->float32.column_blend(x.data(), dy.data(), nullptr, two.data(), three.data(),
                                    four.data(), y.data(), rows, n, false);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 2 * x[i] + 3 * dy[i] + 4);
    }
  }
}

TEST(NormKernels, EveryBuildNormalisesRowsAndTheirGradients) {
  for (const NormKernels* kernels : runnable_norm_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const std::int64_t n : {1, 3, 16, 37, 64, 100}) {
      const auto size = std::size_t(5 * n);
      std::vector<float> x(size), weight(std::size_t(n), 2.0F), bias(std::size_t(n), 1.0F), y(size);
      for (std::size_t i = 0; i < size; ++i) x[i] = float(i % 3);
      std::vector<float> mean(5), rstd(5), dx(size), dweight(std::size_t(n), 0.0F), dbias(dweight);
      const NormRows rows{
          x.data(), weight.data(), bias.data(), y.data(), mean.data(), rstd.data(), 5, n, n,
          1,        1.0,           true};
      kernels->float32.layer_rows(rows);
      for (std::size_t i = 0; i < size; ++i) {
        const auto r = i / std::size_t(n);
        ASSERT_NEAR(y[i], (x[i] - mean[r]) * rstd[r] * 2 + 1, 1e-6);
      }
      kernels->float32.layer_slopes({x.data(), weight.data(), mean.data(), rstd.data(), y.data(),
                                     dx.data(), dweight.data(), dbias.data(), 5, n, n, 1, false,
                                     n % 2 == 0});
      double total = 0;
      for (const float value : dx) total += double(value);
      EXPECT_NEAR(total, 0, 1e-4);  // a shift of a row changes nothing
      double sum = 0, sum_of_y = 0;
      for (const float value : dbias) sum += double(value);
      for (const float value : y) sum_of_y += double(value);
      EXPECT_NEAR(sum, sum_of_y, 1e-4);
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
