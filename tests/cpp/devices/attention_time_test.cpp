#include "siliconprof/devices/attention_time.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

/// 64 by 64 tiles of head_dim 64 are 1,048,576 flops: 1 us forward at this rate.
AttentionUnit made_unit() {
  return {.core_flops_per_s = 1048576e6, .cores = 4, .tile = 64, .start_s = 2e-6};
}

AttentionLayout made_layout(std::int64_t heads, std::int64_t queries, std::int64_t keys,
                            bool causal) {
  return {1, heads, queries, keys, 64, causal, 64, 0, 0};
}

TEST(AttentionTime, BlocksSpreadOverTheCores) {
  // 8 heads of 2 blocks of 2 tiles: 32 tiles on 4 cores.
  EXPECT_NEAR(attention_s(made_layout(8, 128, 128, false), false, made_unit()), 2e-6 + 8e-6, 1e-12);
}

TEST(AttentionTime, CausalLeavesTilesWithoutPairsOut) {
  // 8 heads of 1 + 2 tiles.
  EXPECT_NEAR(attention_s(made_layout(8, 128, 128, true), false, made_unit()), 2e-6 + 6e-6, 1e-12);
}

TEST(AttentionTime, OneBlockIsNoFasterOnMoreCores) {
  EXPECT_NEAR(attention_s(made_layout(1, 64, 512, false), false, made_unit()), 2e-6 + 8e-6, 1e-12);
}

TEST(AttentionTime, ABlockAloneOnItsCoreIsSlower) {
  AttentionUnit unit = made_unit();
  unit.alone = 1.5;
  EXPECT_NEAR(attention_s(made_layout(1, 64, 512, false), false, unit), 2e-6 + 12e-6, 1e-12);
}

TEST(AttentionTime, WalksOfOneLengthComeInWholeWaves) {
  // 5 blocks of 2 tiles on 4 cores: one core has two of them.
  EXPECT_NEAR(attention_s(made_layout(5, 64, 128, false), false, made_unit()), 2e-6 + 4e-6, 1e-12);
}

TEST(AttentionTime, WalksOfOtherLengthsLeaveCoresIdleAtTheirEnd) {
  // 8 heads of 1 + 2 tiles: 6 for each core, and half of the longest.
  AttentionUnit unit = made_unit();
  unit.tail = 0.5;
  EXPECT_NEAR(attention_s(made_layout(8, 128, 128, true), false, unit), 2e-6 + 7e-6, 1e-12);
}

TEST(AttentionTime, GradientsOfSeveralBlocksOfKeysAreAddedUp) {
  // 4 heads of 4 blocks of 2 tiles of keys, 16 on 4 cores: each of 2 tiles and 3 for the sum.
  AttentionUnit unit = made_unit();
  unit.key_tiles = 2;
  unit.split_tiles = 3.0;
  EXPECT_NEAR(attention_s(made_layout(4, 64, 512, false), true, unit), 2e-6 + 20 * 2.5e-6, 1e-12);
  // A single block has nothing to add to.
  EXPECT_NEAR(attention_s(made_layout(4, 64, 128, false), true, unit), 2e-6 + 2 * 2.5e-6, 1e-12);
}

TEST(AttentionTime, KernelsBesideMoveSoMuchForEachNumberOfTheQueries) {
  AttentionUnit unit = made_unit();
  EXPECT_EQ(bytes_beside(made_layout(4, 64, 128, false), unit), 0.0);
  unit.beside_bytes = 20.0;
  EXPECT_EQ(bytes_beside(made_layout(4, 64, 128, false), unit), 20.0 * 4 * 64 * 64);
}

TEST(AttentionTime, BackwardWalksAlongTheQueriesOfEachBlockOfKeys) {
  // 4 heads, 8 blocks of keys that one tile of queries meets: 32 tiles of 2.5 us on 4 cores, and
  // as much again for the blocks' ends.
  AttentionUnit unit = made_unit();
  unit.block_tiles = 1.0;
  EXPECT_NEAR(attention_s(made_layout(4, 64, 512, false), true, unit), 2e-6 + 16 * 2.5e-6, 1e-12);
}

TEST(AttentionTime, CausalBackwardLeavesOutQueriesBeforeTheKeys) {
  // 4 heads of 2 + 1 tiles.
  EXPECT_NEAR(attention_s(made_layout(4, 128, 128, true), true, made_unit()), 2e-6 + 3 * 2.5e-6,
              1e-12);
}

TEST(AttentionTime, NothingTakesNoTime) {
  EXPECT_EQ(attention_s(made_layout(1, 0, 64, false), false, made_unit()), 0.0);
}

TEST(AttentionTime, MoreKeysNeverTakeLessWhereNothingIsMasked) {
  AttentionUnit unit = made_unit();
  unit.cores = 132;
  unit.key_tiles = 2;
  unit.tail = 0.9;
  double before_s = 0.0;
  for (std::int64_t keys = 64; keys <= 2048; keys += 64) {
    const double now_s = attention_s(made_layout(8, 512, keys, false), true, unit);
    EXPECT_GE(now_s, before_s) << keys;
    before_s = now_s;
  }
}

}  // namespace
}  // namespace siliconprof
