#include "siliconprof/kernels/reference/order.h"

#include <gtest/gtest.h>

namespace siliconprof::reference {
namespace {

TEST(ReferenceOrder, ANanIsLargerThanAllButANan) {
  const double nan = std::nan("");
  EXPECT_TRUE(is_larger(2.0, 1.0));
  EXPECT_FALSE(is_larger(1.0, 2.0));
  EXPECT_FALSE(is_larger(0.0, -0.0));
  EXPECT_TRUE(is_larger(nan, double(INFINITY)));
  EXPECT_FALSE(is_larger(double(INFINITY), nan));
  EXPECT_FALSE(is_larger(nan, nan));
}

}  // namespace
}  // namespace siliconprof::reference
