#include "siliconprof/devices/shapley.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Shapley, NobodyHasNoParts) { EXPECT_TRUE(shapley(0, std::array{7.0}).empty()); }

TEST(Shapley, OnePlayerBringsAll) {
  const auto parts = shapley(1, std::array{3.0, 10.0});
  EXPECT_DOUBLE_EQ(parts.at(0), 7.0);
}

TEST(Shapley, IndependentPlayersBringWhatTheyAdd) {
  // worth = 5 + 1 for player 0 + 20 for player 1
  const auto parts = shapley(2, std::array{5.0, 6.0, 25.0, 26.0});
  EXPECT_DOUBLE_EQ(parts.at(0), 1.0);
  EXPECT_DOUBLE_EQ(parts.at(1), 20.0);
}

TEST(Shapley, WhatOnlyBothBringIsHalved) {
  const auto parts = shapley(2, std::array{0.0, 0.0, 0.0, 12.0});
  EXPECT_DOUBLE_EQ(parts.at(0), 6.0);
  EXPECT_DOUBLE_EQ(parts.at(1), 6.0);
}

TEST(Shapley, TheGloveGame) {
  // Player 0 has the left glove, 1 and 2 a right one each; a pair is worth 1: 2/3, 1/6, 1/6.
  const auto parts = shapley(3, std::array{0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0});
  EXPECT_NEAR(parts.at(0), 2.0 / 3.0, 1e-15);
  EXPECT_NEAR(parts.at(1), 1.0 / 6.0, 1e-15);
  EXPECT_NEAR(parts.at(2), 1.0 / 6.0, 1e-15);
}

TEST(Shapley, ASlowerOfTwoRoofs) {
  // max(a, b): a from 2 to 1, b from 3 to 1; worths 3, 3, 2, 1. Orders: a then b 0, -2; b then a
  // -1, -1.
  const auto parts = shapley(2, std::array{3.0, 3.0, 2.0, 1.0});
  EXPECT_DOUBLE_EQ(parts.at(0), -0.5);
  EXPECT_DOUBLE_EQ(parts.at(1), -1.5);
}

TEST(Shapley, WorthsMustBeThereForEachSet) {
  EXPECT_THROW(shapley(2, std::array{1.0, 2.0, 3.0}), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
