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
