#include "siliconprof/kernels/cpu/touched_pages.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/builder.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof::cpu {
namespace {

// 4 pages of x and 4 of its copy.
Trace copy() { return single_op("copy", {{"n", 4096}}, Dtype::Float32, {}, false); }

TEST(TouchedPages, AnElementWiseCallGoesThroughItsOperandsTogether) {
  const TouchedPages found = touched_pages(copy(), 1);
  EXPECT_EQ(found.huge_pages, 0);
  ASSERT_EQ(found.rounds.size(), 1U);
  ASSERT_EQ(found.rounds[0].size(), 2U);
  for (const PageRange& range : found.rounds[0]) EXPECT_EQ(range.end - range.first, 4);
  EXPECT_NE(found.rounds[0][0], found.rounds[0][1]);
  EXPECT_EQ(found.filled, PageRound{found.rounds[0][0]});
}

TEST(TouchedPages, AnotherCallGoesThroughThemOneAfterTheOther) {
  const Trace sums =
      single_op("sum", {{"outer", 64}, {"size", 64}, {"inner", 64}}, Dtype::Float32, {}, false);
  const TouchedPages found = touched_pages(sums, 1);
  ASSERT_EQ(found.rounds.size(), 2U);
  EXPECT_EQ(found.rounds[0][0].end - found.rounds[0][0].first, 256);
  EXPECT_EQ(found.rounds[1][0].end - found.rounds[1][0].first, 4);
}

TEST(TouchedPages, OfATableAsManyPagesAreTouchedAsThereAreIndices) {
  // 1000 rows of a page each; 10 indices.
  const Trace gather = single_op("gather", {{"rows", 1000}, {"count", 10}, {"columns", 1024}},
                                 Dtype::Float32, {}, false);
  const TouchedPages found = touched_pages(gather, 1);
  EXPECT_EQ(found.rounds[0][0].step, 100);
  EXPECT_GE(found.huge_pages, 1000);
}

TEST(LimitedPasses, TellsOfEachPassAlone) {
  const Trace large = single_op("copy", {{"n", 1 << 21}}, Dtype::Float32, {}, false);  // 2 x 8 MiB
  const TouchedPages touched = touched_pages(large, 1);
  const auto roomy = limited_passes(touched, 2, 5000, 1);
  EXPECT_EQ(roomy[0], (PageCounts{0, 4, 0, 0}));  // the copy's huge pages; x is filled before
  EXPECT_EQ(roomy[1], PageCounts{});
  const auto tight = limited_passes(touched, 3, 2100, 1);
  EXPECT_EQ(tight[2].major_faults, tight[2].pages_in);
  EXPECT_GT(tight[2].major_faults, 4096 - 2100);
}

}  // namespace
}  // namespace siliconprof::cpu
