#include "siliconprof/devices/roofline.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

TEST(Roofline, TheSlowerOfArithmeticAndTrafficDecides) {
  EXPECT_EQ(roofline_s(3.0, 2.0), 3.0);
  EXPECT_EQ(roofline_s(2.0, 3.0), 3.0);
}

TEST(TimeAt, DividesByTheRateAndNothingTakesNoTime) {
  EXPECT_DOUBLE_EQ(time_at(10.0, {4.0, 0.0}), 2.5);
  EXPECT_EQ(time_at(0.0, {0.0, 0.0}), 0.0);
}

TEST(Bounds, AreAFactorEitherWay) {
  EXPECT_DOUBLE_EQ(bounds(3.0, 0.5).lo, 2.0);
  EXPECT_DOUBLE_EQ(bounds(3.0, 0.5).hi, 4.5);
  EXPECT_EQ(bounds(3.0, 0.0), (Interval{3.0, 3.0}));
}

}  // namespace
}  // namespace siliconprof
