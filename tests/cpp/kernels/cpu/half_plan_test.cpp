#include "siliconprof/kernels/cpu/half_plan.h"

#include <gtest/gtest.h>

namespace siliconprof::cpu {
namespace {

HalfPlan plan_of(Dtype dtype, std::int64_t m, std::int64_t k, std::int64_t n, int threads,
                 const MadeRows* made = nullptr) {
  static const HalfTileKernels tiles{"dots", 2, nullptr, nullptr, nullptr};
  HalfProduct p{};
  p.dtype = dtype;
  p.m = m, p.k = k, p.n = n;
  p.made_a = p.made_b = made;
  return {p, tiles, threads};
}

class Nothing final : public MadeRows {
  void make(std::int64_t, std::int64_t, std::int64_t, std::int64_t, const MadeTo&) const override {}
};

// Panels of 32 lines and 100 terms, in four steps of 512 pairs.
TEST(HalfPlan, PanelsCoverRowsColumnsAndTerms) {
  const HalfPlan plan = plan_of(Dtype::BFloat16, 65, 100, 32, 1);
  EXPECT_EQ(plan.depth, 100);
  EXPECT_EQ(plan.panel_pairs, 4 * 512);
  EXPECT_EQ(plan.row_panels, 3);
  EXPECT_EQ(plan.column_panels, 1);
  EXPECT_EQ(plan.cells(), 1);
  EXPECT_EQ(plan.room(), (3 + 1) * 4 * 512);
  EXPECT_EQ(plan_of(Dtype::Float16, 65, 100, 32, 1).panel_pairs, 2 * 4 * 512);
}

TEST(HalfPlan, ThreadsShareTheLongerSide) {
  const HalfPlan tall = plan_of(Dtype::BFloat16, 8192, 512, 64, 4);
  EXPECT_EQ(tall.grid.rows, 4);
  EXPECT_EQ(tall.grid.columns, 1);
  const HalfPlan wide = plan_of(Dtype::BFloat16, 64, 512, 8192, 4);
  EXPECT_EQ(wide.grid.rows, 1);
  EXPECT_EQ(wide.grid.columns, 4);
  EXPECT_EQ(plan_of(Dtype::BFloat16, 32, 32, 32, 4).cells(), 1);  // too little to share
}

std::int64_t chunks(std::int64_t m, std::int64_t k, std::int64_t n) {
  HalfProduct p{};
  p.m = m, p.k = k, p.n = n;
  return chunks_of_terms(p);
}

// Of 2,048 terms or more each, 16 at most, with 4,096 tiles of sums together; a power of 2.
TEST(HalfPlan, ManyTermsOfFewTilesAreCutIntoChunks) {
  EXPECT_EQ(chunks(64, 4095, 576), 1);
  EXPECT_EQ(chunks(64, 4096, 576), 2);
  EXPECT_EQ(chunks(64, 7 * 2048, 576), 4);
  EXPECT_EQ(chunks(64, 1 << 20, 576), 16);
  EXPECT_EQ(chunks(512, 1 << 20, 1024), 8);   // 512 tiles
  EXPECT_EQ(chunks(2048, 1 << 20, 1056), 1);  // 2,112
  EXPECT_EQ(chunks(0, 1 << 20, 64), 16);
  EXPECT_EQ(chunks(64, 0, 64), 1);
}

TEST(HalfPlan, ThreadsBeyondTheChunksShareEach) {
  static const HalfTileKernels tiles{"dots", 2, nullptr, nullptr, nullptr};
  HalfProduct p{};
  p.dtype = Dtype::BFloat16;
  p.m = 256, p.k = 65536, p.n = 1024;
  const auto cells_of_chunk = [&p](int threads, std::int64_t chunks) {
    const HalfPlan plan(p, tiles, threads, chunks);
    EXPECT_EQ(plan.cells() % chunks, 0);
    return plan.cells() / chunks;
  };
  EXPECT_EQ(cells_of_chunk(2, 16), 1);
  EXPECT_EQ(cells_of_chunk(16, 16), 1);
  EXPECT_EQ(cells_of_chunk(16, 4), 4);
  EXPECT_EQ(cells_of_chunk(6, 16), 3);  // 48 cells, eight for each
  const HalfPlan plan(p, tiles, 2, 16);
  EXPECT_EQ(plan.terms, 4096);
  EXPECT_EQ(plan.depth, 1024);
}

// A panel of 4096 terms is 256 KiB: two of rows are packed at once, one where they are made.
TEST(HalfPlan, FewerRowsThatAreMadeArePackedAtOnce) {
  const Nothing made;
  const HalfPlan lying = plan_of(Dtype::BFloat16, 256, 5000, 64, 1);
  EXPECT_EQ(lying.depth, kHalfDepth);
  EXPECT_EQ(lying.group_panels, 2);
  EXPECT_EQ(lying.made_pairs, 0);
  const HalfPlan wanted = plan_of(Dtype::BFloat16, 256, 5000, 64, 1, &made);
  EXPECT_EQ(wanted.group_panels, 1);
  EXPECT_EQ(wanted.made_pairs, 32 * (1024 + 32) / 2);
  EXPECT_EQ(wanted.room(), (1 + 2) * 128 * 512 + wanted.made_pairs);
}

}  // namespace
}  // namespace siliconprof::cpu
