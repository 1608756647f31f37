#include "siliconprof/kernels/cpu/loss_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "rounding_agreement.h"

namespace siliconprof::cpu {
namespace {

TEST(LossKernels, EveryBuildAddsEqualTermsOfAnyNumber) {
  for (const LossKernels* kernels : runnable_loss_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (std::int64_t n = 1; n < 5000; n += n < 70 ? 1 : 977) {
      const std::vector<float> x(std::size_t(n), -2.5F);
      const ExpSum sum = kernels->float32.exp_sum(x.data(), n, 2.0);
      EXPECT_EQ(sum.reference, -5);
      EXPECT_NEAR(sum.total, double(n), 1e-6 * double(n));
      std::vector<float> y(std::size_t(n) + 1, 77.0F);
      kernels->float32.shares(x.data(), n, 2.0, -4.0, 3.0, y.data(), n % 2 == 0);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], 3 * std::exp(-1.0), 1e-6);
      EXPECT_EQ(y.back(), 77.0F);
    }
  }
}

// Numbers that grow by 15 from block to block, so that the reference moves each time, and within a
// block by 100, whose last element is not in a whole vector.
TEST(LossKernels, EveryBuildAddsTermsThatGrow) {
  for (const LossKernels* kernels : runnable_loss_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const std::int64_t n : {std::int64_t{7 * 2048 + 5}, std::int64_t{2048 + 1}}) {
      std::vector<float> x(static_cast<std::size_t>(n));
      long double before_last = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = 15.0F * float(i / 2048) - 8.0F * float(i * 37 % 101) / 100.0F;
        if (i + 1 < x.size()) before_last += std::exp((long double)(2.0F * x[i]));
      }
      x.back() += 100.0F;
      const long double all = before_last + std::exp((long double)(2.0F * x.back()));
      const auto logarithm = [&](std::int64_t count) {
        const ExpSum sum = kernels->float32.exp_sum(x.data(), count, 2.0);
        return std::log(sum.total) + sum.reference;
      };
      EXPECT_NEAR(logarithm(n - 1), double(std::log(before_last)), 1e-6);
      EXPECT_NEAR(logarithm(n), double(std::log(all)), 1e-6);
    }
  }
}

// What is left of a row beside its largest, however much that exceeds those before: the loss.
TEST(LossKernels, EveryBuildKeepsWhatIsSmallBesideTheLargest) {
  for (const LossKernels* kernels : runnable_loss_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (float above = 0.125F; above < 60.0F; above += 1.375F) {
      std::vector<float> x(5000);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i * 37 % 101) / 100.0F;
      x[4321] = above + 1.0F;
      double others = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (i != 4321) others += std::exp(double(x[i]) - double(x[4321]));
      }
      const ExpSum sum = kernels->float32.exp_sum(x.data(), 5000, 1.0);
      const double loss = std::log(sum.total) + sum.reference - double(x[4321]);
      EXPECT_GE(loss, 0);
      // Each addition to the largest's lane may round by half of 2^-23.
      EXPECT_NEAR(loss, std::log1p(others), 1.6e-5) << above;
    }
  }
}

TEST(LossKernels, EveryBuildKeepsWhatIsNotANumber) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const LossKernels* kernels : runnable_loss_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const std::size_t at : {std::size_t{0}, std::size_t{17}, std::size_t{4999}}) {
      std::vector<float> x(5000, -inf);
      EXPECT_EQ(kernels->float32.exp_sum(x.data(), 5000, 1.0).total, 0);
      x[at] = -3.0F;
      const ExpSum one = kernels->float32.exp_sum(x.data(), 5000, 1.0);
      EXPECT_EQ(one.reference, -3);
      EXPECT_NEAR(one.total, 1, 1e-6);
      x[at] = inf;
      EXPECT_TRUE(std::isnan(kernels->float32.exp_sum(x.data(), 5000, 1.0).total));
      x[at] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_TRUE(std::isnan(kernels->float32.exp_sum(x.data(), 5000, 1.0).total));
    }
  }
}

TEST(LossKernels, NoTermsSumToNothing) {
  for (const LossKernels* kernels : runnable_loss_kernels()) {
    EXPECT_EQ(kernels->float64.exp_sum(nullptr, 0, 1.0).total, 0);
  }
}

}  // namespace
}  // namespace siliconprof::cpu
