#include "siliconprof/core/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 4> kValid{"matmul", "matvec", "copy", "scale"};

TEST(Nearest, PutsTheSmallestEditDistanceFirst) {
  const auto names = nearest_names("matmull", kValid);
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.front(), "matmul");
}

TEST(Nearest, FindsNamesThatContainTheWord) {
  const auto names = nearest_names("mul", kValid);
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.front(), "matmul");
}

TEST(Nearest, IsEmptyForAStranger) { EXPECT_TRUE(nearest_names("xylophone", kValid).empty()); }

TEST(Nearest, CopesWithEmptyInput) {
  EXPECT_TRUE(nearest_names("", kValid).empty());
  EXPECT_TRUE(nearest_names("matmul", {}).empty());
}

}  // namespace
}  // namespace siliconprof
