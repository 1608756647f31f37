#include "siliconprof/kernels/cpu/page_replacement.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

constexpr std::int64_t kLimit = 1024;

/// What a loop over so many single pages shows in its last pass.
PageCounts last_pass(PageReplacement& memory, std::int64_t pages, int passes) {
  PageCounts before;
  for (int pass = 0; pass < passes; ++pass) {
    before = memory.counts();
    for (std::int64_t page = 0; page < pages; ++page) memory.touch(page);
  }
  return memory.counts() - before;
}

TEST(PageReplacement, WhatFitsIsTakenOnceAndStays) {
  PageReplacement memory(kLimit, 0, kLimit, 1);
  EXPECT_EQ(last_pass(memory, kLimit, 1), (PageCounts{0, kLimit, 0, 0}));
  EXPECT_EQ(last_pass(memory, kLimit, 1), PageCounts{});
}

TEST(PageReplacement, ALoopOverALittleMoreThanTheLimitReadsAllOfItBack) {
  // Whoever is to be used next has waited longest: of 1100 pages none is there any more.
  PageReplacement memory(1100, 0, kLimit, 1);
  const PageCounts second = last_pass(memory, 1100, 2);
  EXPECT_EQ(second.major_faults, 1100);
  EXPECT_EQ(second.pages_in, 1100);
  EXPECT_EQ(second.minor_faults, 0);
}

TEST(PageReplacement, WhatIsUsedAgainAndAgainBecomesActiveAndStays) {
  PageReplacement memory(2100, 0, kLimit, 1);
  const auto touch_often_used = [&] {
    for (std::int64_t page = 0; page < 100; ++page) memory.touch(page);
  };
  std::int64_t faults_of_often_used = 0;
  for (int pass = 0; pass < 4; ++pass) {
    faults_of_often_used = 0;
    for (std::int64_t page = 100; page < 2100; ++page) {
      memory.touch(page);
      if (page % 100 != 0) continue;
      const std::int64_t before = memory.counts().major_faults;
      touch_often_used();
      faults_of_often_used += memory.counts().major_faults - before;
    }
  }
  EXPECT_EQ(faults_of_often_used, 0);
}

TEST(PageReplacement, AHugePageComesAndGoesAtOnceAndComesBackInPages) {
  PageReplacement memory(1536, 1536, kLimit, 1);
  memory.touch(3);
  EXPECT_EQ(memory.resident_pages(), 512);
  memory.touch(700);
  memory.touch(1500);  // the first leaves, though one page would do for its fault
  EXPECT_EQ(memory.counts(), (PageCounts{0, 3, 0, 512}));
  EXPECT_EQ(memory.resident_pages(), 1024);
  memory.touch(4);
  EXPECT_EQ(memory.counts().major_faults, 1);
  EXPECT_EQ(memory.counts().pages_in, 1);
}

TEST(PageReplacement, PagesThatLeftTogetherComeBackTogetherWhereAFaultReadsAhead) {
  PageReplacement memory(2 * kLimit, 0, kLimit, 8);
  const PageCounts found = last_pass(memory, 2 * kLimit, 3);
  EXPECT_GE(found.pages_in, 2 * kLimit);
  EXPECT_LT(found.major_faults, found.pages_in / 7);  // of eight one waits
  EXPECT_EQ(found.major_faults + found.minor_faults, 2 * kLimit);
}

TEST(PageReplacement, NeverHoldsMoreThanTheLimit) {
  PageReplacement memory(4096, 2048, 1500, 8);
  for (int pass = 0; pass < 3; ++pass) {
    for (std::int64_t page = 0; page < 4096; page += 3) {
      memory.touch(page);
      ASSERT_LE(memory.resident_pages(), 1500);
    }
  }
}

TEST(PageReplacement, ALimitThatHoldsNextToNothingIsRefused) {
  EXPECT_THROW(PageReplacement(10, 0, PageReplacement::kFewest - 1, 1), ArgumentError);
}

}  // namespace
}  // namespace siliconprof::cpu
