#include "siliconprof/core/rounding.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

TEST(Rounding, PartsAreCountedUp) {
  EXPECT_EQ(divided_up(0, 4), 0);
  EXPECT_EQ(divided_up(1, 4), 1);
  EXPECT_EQ(divided_up(4, 4), 1);
  EXPECT_EQ(divided_up(5, 4), 2);
  EXPECT_EQ(divided_up(7, 1), 7);
  // Towards what is larger below zero, too: -5/4 is between -2 and -1.
  EXPECT_EQ(divided_up(-5, 4), -1);
  EXPECT_EQ(divided_up(-8, 4), -2);
}

TEST(Rounding, AMultipleIsNoLess) {
  EXPECT_EQ(rounded_up(0, 512), 0);
  EXPECT_EQ(rounded_up(1, 512), 512);
  EXPECT_EQ(rounded_up(512, 512), 512);
  EXPECT_EQ(rounded_up(513, 512), 1024);
}

}  // namespace
}  // namespace siliconprof
