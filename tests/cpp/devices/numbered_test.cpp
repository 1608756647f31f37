#include "siliconprof/devices/numbered.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

TEST(Numbered, ANumberServesAgainOnceItsThingIsGone) {
  Numbered<double> things;
  EXPECT_EQ(things.add(1.5), 0);
  EXPECT_EQ(things.add(2.5), 1);
  EXPECT_EQ(things.add(3.5), 2);
  things.remove(0);
  things.remove(1);
  EXPECT_EQ(things.add(4.5), 1);
  EXPECT_EQ(things[0], 1.5);  // until the number serves again
  EXPECT_EQ(things.add(5.5), 0);
  EXPECT_EQ(things.add(6.5), 3);
  things[3] += 1.0;
  EXPECT_EQ(things[0], 5.5);
  EXPECT_EQ(things[1], 4.5);
  EXPECT_EQ(things[2], 3.5);
  EXPECT_EQ(things[3], 7.5);
}

}  // namespace
}  // namespace siliconprof
