#include "siliconprof/kernels/cpu/tile_permission.h"

#include <gtest/gtest.h>

#include "siliconprof/kernels/cpu/cpu_features.h"

namespace siliconprof::cpu {
namespace {

TEST(TilePermission, IsGivenWhereTheCpuHasTilesAndOnlyThere) {
  EXPECT_EQ(may_use_tiles(), cpu_features().amx_tile);
}

TEST(TilePermission, StaysGiven) { EXPECT_EQ(may_use_tiles(), may_use_tiles()); }

}  // namespace
}  // namespace siliconprof::cpu
