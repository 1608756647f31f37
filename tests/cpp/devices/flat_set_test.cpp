#include "siliconprof/devices/flat_set.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>

namespace siliconprof {
namespace {

TEST(FlatSet, IsInOrderAndFindsTheFirstThatIsNotLess) {
  FlatSet<int> set;
  EXPECT_EQ(set.lower_bound(1), set.end());
  for (const int thing : {5, 1, 9}) set.insert(thing);
  EXPECT_EQ(std::vector<int>(set.begin(), set.end()), (std::vector<int>{1, 5, 9}));
  EXPECT_EQ(*set.lower_bound(2), 5);
  EXPECT_EQ(*set.lower_bound(5), 5);
  EXPECT_EQ(set.lower_bound(10), set.end());
  EXPECT_EQ(set.back(), 9);
  set.erase(5);
  EXPECT_EQ(set[1], 9);
  set.erase(set.begin());
  EXPECT_EQ(set.size(), 1);
}

TEST(FlatSet, HoldsWhatATreeHolds) {
  std::mt19937 random(7);
  FlatSet<std::uint32_t> flat;
  std::set<std::uint32_t> tree;
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t thing = random() % 300;
    if (tree.contains(thing)) {
      flat.erase(thing);
      tree.erase(thing);
    } else {
      flat.insert(thing);
      tree.insert(thing);
    }
    const std::uint32_t asked = random() % 320;
    const auto found = flat.lower_bound(asked);
    const auto known = tree.lower_bound(asked);
    ASSERT_EQ(found == flat.end(), known == tree.end());
    if (known == tree.end()) continue;
    ASSERT_EQ(*found, *known);
  }
  EXPECT_TRUE(std::equal(flat.begin(), flat.end(), tree.begin(), tree.end()));
}

}  // namespace
}  // namespace siliconprof
