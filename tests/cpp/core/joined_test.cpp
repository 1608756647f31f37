#include "siliconprof/core/joined.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

TEST(Joined, KeepsTheOrderOfTheTables) {
  constexpr std::array<int, 2> a{1, 2};
  constexpr std::array<int, 1> b{3};
  constexpr std::array<int, 2> c{4, 5};
  static_assert(joined(a, b, c) == std::array<int, 5>{1, 2, 3, 4, 5});
  EXPECT_EQ(joined(b), b);
}

}  // namespace
}  // namespace siliconprof
