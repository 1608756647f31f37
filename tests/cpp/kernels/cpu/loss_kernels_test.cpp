#include "siliconprof/kernels/cpu/loss_kernels.h"

#include <gtest/gtest.h>

#include "rounding_agreement.h"

namespace siliconprof::cpu {
namespace {

TEST(LossKernels, EveryBuildAddsEqualTermsOfAnyNumber) {
  for (const LossKernels* kernels : runnable_loss_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (std::int64_t n = 1; n < 5000; n += n < 70 ? 1 : 977) {
      const std::vector<float> x(std::size_t(n), -2.5F);
      const ExpSum sum = kernels->float32.exp_sum(x.data(), n, 2.0);
      EXPECT_EQ(sum.largest, -5);
      EXPECT_NEAR(sum.total, double(n), 1e-6 * double(n));
      std::vector<float> y(std::size_t(n) + 1, 77.0F);
      kernels->float32.shares(x.data(), n, 2.0, -4.0, 3.0, y.data(), n % 2 == 0);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], 3 * std::exp(-1.0), 1e-6);
      EXPECT_EQ(y.back(), 77.0F);
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
