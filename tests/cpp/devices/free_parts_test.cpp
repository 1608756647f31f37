#include "siliconprof/devices/free_parts.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace siliconprof {
namespace {

TEST(FreeParts, TheSmallestThatWillDoIsTakenTheLowestOfSeveral) {
  FreeParts parts;
  EXPECT_FALSE(parts.take(1));
  parts.insert({4096, 9000, 1});
  parts.insert({4096, 100, 2});
  parts.insert({1 << 30, 0, 3});
  EXPECT_EQ(parts.take(4000), (FreePart{4096, 100, 2}));
  EXPECT_EQ(parts.take(4096), (FreePart{4096, 9000, 1}));
  EXPECT_EQ(parts.take(4096), (FreePart{1 << 30, 0, 3}));
  EXPECT_FALSE(parts.take(1));
}

TEST(FreeParts, HoldWhatATreeHolds) {
  std::mt19937_64 random(11);
  FreeParts parts;
  std::set<std::pair<std::int64_t, std::int64_t>> tree;
  for (std::int32_t i = 0; i < 20000; ++i) {
    // Of all magnitudes, some more often than once.
    const auto bytes = std::int64_t(1 + (random() >> (random() % 62 + 2)) % 5000 *
                                            (std::int64_t{1} << (random() % 40)));
    if (random() % 3 == 0) {
      const auto known = tree.lower_bound({bytes, -1});
      const auto found = parts.take(bytes);
      ASSERT_EQ(found.has_value(), known != tree.end());
      if (!found) continue;
      ASSERT_EQ(std::pair(found->bytes, found->address), *known);
      tree.erase(known);
    } else if (random() % 4 == 0 && !tree.empty()) {
      const auto [size, address] = *tree.begin();
      parts.erase({size, address, 0});
      tree.erase(tree.begin());
    } else {
      parts.insert({bytes, i, i});
      tree.insert({bytes, i});
    }
  }
}

}  // namespace
}  // namespace siliconprof
