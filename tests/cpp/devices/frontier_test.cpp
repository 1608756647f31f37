#include "siliconprof/devices/frontier.h"

#include <gtest/gtest.h>

#include <limits>

namespace siliconprof {
namespace {

TEST(Frontier, HoldsWhatNothingElseBeats) {
  // time, energy, price, memory
  const std::vector<Costs> choices{
      {1.0, 8.0, 9.0, 5.0},  // quickest
      {2.0, 8.0, 3.0, 5.0},  // cheapest
      {2.0, 8.0, 4.0, 5.0},  // as quick as the cheapest, for more
      {3.0, 8.0, 9.0, 1.0},  // smallest
      {3.0, 8.0, 9.0, 6.0},  // worst
      {3.0, 7.0, 9.0, 6.0},  // as bad, but draws the least
  };
  EXPECT_EQ(frontier(choices), (std::vector<bool>{true, true, false, true, false, true}));
}

TEST(Frontier, EqualChoicesShareTheirPlace) {
  const std::vector<Costs> choices{
      {1.0, 1.0, 1.0, 1.0}, {1.0, 1.0, 1.0, 1.0}, {1.0, 1.0, 1.0, 2.0}};
  EXPECT_EQ(frontier(choices), (std::vector<bool>{true, true, false}));
}

TEST(Frontier, AnUnknownPriceIsTheHighest) {
  const double unknown = std::numeric_limits<double>::infinity();
  const std::vector<Costs> choices{
      {1.0, 1.0, unknown, 1.0}, {1.0, 1.0, 5.0, 1.0}, {0.5, 1.0, unknown, 1.0}};
  EXPECT_EQ(frontier(choices), (std::vector<bool>{false, true, true}));
}

TEST(Frontier, OfNothingIsEmpty) { EXPECT_TRUE(frontier({}).empty()); }

}  // namespace
}  // namespace siliconprof
