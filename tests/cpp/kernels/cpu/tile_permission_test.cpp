#include "siliconprof/kernels/cpu/tile_permission.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "siliconprof/kernels/cpu/cpu_features.h"
#include "siliconprof/kernels/cpu/isa_limit.h"

namespace siliconprof::cpu {
namespace {

TEST(TilePermission, IsGivenWhereTheCpuHasTilesAndOnlyThere) {
  const bool has_tiles = cpu_features().amx_tile;
  if (!has_tiles && std::getenv(kMaxIsaVariable) != nullptr) {
    GTEST_SKIP() << "whether the CPU has tiles is hidden by " << kMaxIsaVariable;
  }
  EXPECT_EQ(may_use_tiles(), has_tiles);
}

TEST(TilePermission, StaysGiven) { EXPECT_EQ(may_use_tiles(), may_use_tiles()); }

}  // namespace
}  // namespace siliconprof::cpu
