#include "siliconprof/devices/frontier.h"

#include <gtest/gtest.h>

#include <limits>

namespace siliconprof {
namespace {

TEST(Frontier, HoldsWhatNothingElseBeats) {
  // time, price, memory
  const std::vector<Costs> choices{
      {1.0, 9.0, 5.0},  // quickest
      {2.0, 3.0, 5.0},  // cheapest
      {2.0, 4.0, 5.0},  // as quick as the cheapest, for more
      {3.0, 9.0, 1.0},  // smallest
      {3.0, 9.0, 6.0},  // worst
  };
  EXPECT_EQ(frontier(choices), (std::vector<bool>{true, true, false, true, false}));
}

TEST(Frontier, EqualChoicesShareTheirPlace) {
  const std::vector<Costs> choices{{1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}, {1.0, 1.0, 2.0}};
  EXPECT_EQ(frontier(choices), (std::vector<bool>{true, true, false}));
}

TEST(Frontier, AnUnknownPriceIsTheHighest) {
  const double unknown = std::numeric_limits<double>::infinity();
  const std::vector<Costs> choices{{1.0, unknown, 1.0}, {1.0, 5.0, 1.0}, {0.5, unknown, 1.0}};
  EXPECT_EQ(frontier(choices), (std::vector<bool>{false, true, true}));
}

TEST(Frontier, OfNothingIsEmpty) { EXPECT_TRUE(frontier({}).empty()); }

}  // namespace
}  // namespace siliconprof
