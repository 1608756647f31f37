#include "siliconprof/devices/axis_shares.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

// Four results are loaded at once by 128 threads, 32 beside each other: four along the axis.
TEST(AxisShares, OneGroupHasAShortAxis) {
  EXPECT_EQ(axis_shares(1, 512, 384, 132), (AxisShares{128, 0}));
  EXPECT_EQ(axis_shares(1, 1023, 384, 132), (AxisShares{256, 64 / 4 / 4}));
}

TEST(AxisShares, GroupsShareALongAxisOfSixteenValuesOrMoreEach) {
  EXPECT_EQ(axis_shares(1, 4096, 384, 132), (AxisShares{1024, 64 / 4}));
  EXPECT_EQ(axis_shares(16, 16384, 16, 132), (AxisShares{4096, 256 / 4}));
}

TEST(AxisShares, NoMoreGroupsShareItThanCoresHaveRoomFor) {
  // 24 groups on each of 132 cores, for 24 and for 96 columns of groups.
  EXPECT_EQ(axis_shares(1, 65536, 3072, 132).gathered, 132 / 4);
  EXPECT_EQ(axis_shares(1, 65536, 12288, 132).gathered, 64 / 4);  // 256 values each at most
  EXPECT_EQ(axis_shares(1, 4096, 1 << 20, 132), (AxisShares{1024, 0}));
  EXPECT_EQ(axis_shares(1, 1024, 405504, 132), (AxisShares{256, 0})) << "room for one group each";
}

TEST(AxisShares, OfFewResultsMoreThreadsLieAlongTheAxis) {
  EXPECT_EQ(axis_shares(1, 16384, 2, 132), (AxisShares{64, 0}));
  EXPECT_EQ(axis_shares(1, 65536, 2, 132), (AxisShares{256, 1}));
  EXPECT_EQ(axis_shares(1, 1 << 20, 32, 132), (AxisShares{65536, 3168 / 16}));
  EXPECT_EQ(axis_shares(1, 4096, 3, 132), (AxisShares{16, 0}));
  EXPECT_EQ(axis_shares(1, 4096, 66, 132), (AxisShares{512, 32 / 8})) << "two loaded at once";
}

TEST(AxisShares, AnAxisThatIsTooShortToShareIsOneThreads) {
  EXPECT_EQ(axis_shares(128, 64, 2, 132), (AxisShares{64, 0}));
  EXPECT_EQ(axis_shares(1, 0, 2, 132), AxisShares{});
}

}  // namespace
}  // namespace siliconprof
