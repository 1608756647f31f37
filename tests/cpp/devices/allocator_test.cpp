#include "siliconprof/devices/allocator.h"

#include <gtest/gtest.h>

#include <array>

namespace siliconprof {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

TEST(CachingAllocator, RoundsSmallSizesAndTakesThemFromOneSegment) {
  CachingAllocator allocator;
  allocator.allocate(1);
  allocator.allocate(513);
  EXPECT_EQ(allocator.allocated_bytes(), 512 + 1024);
  EXPECT_EQ(allocator.reserved_bytes(), 2 * kMiB);
}

TEST(CachingAllocator, TakesMiddleSizesFromSegmentsOf20MiB) {
  CachingAllocator allocator;
  allocator.allocate(3 * kMiB);
  allocator.allocate(9 * kMiB);
  EXPECT_EQ(allocator.allocated_bytes(), 12 * kMiB);
  EXPECT_EQ(allocator.reserved_bytes(), 20 * kMiB);
  allocator.allocate(9 * kMiB);  // 8 MiB are left: too few
  EXPECT_EQ(allocator.reserved_bytes(), 40 * kMiB);
}

TEST(CachingAllocator, ARestOfAMiBStaysWithItsBlock) {
  CachingAllocator allocator;
  allocator.allocate(11 * kMiB);  // a segment of 12 MiB; 1 MiB isn't cut off
  EXPECT_EQ(allocator.allocated_bytes(), 12 * kMiB);
  EXPECT_EQ(allocator.reserved_bytes(), 12 * kMiB);
}

TEST(CachingAllocator, ReusesTheSmallestBlockThatFits) {
  CachingAllocator allocator;
  const auto large = allocator.allocate(40 * kMiB);
  const auto small = allocator.allocate(16 * kMiB);
  allocator.free(large);
  allocator.free(small);
  allocator.allocate(16 * kMiB);
  allocator.allocate(40 * kMiB);
  EXPECT_EQ(allocator.reserved_bytes(), 56 * kMiB);
  EXPECT_EQ(allocator.allocated_bytes(), 56 * kMiB);
}

TEST(CachingAllocator, MergesFreeNeighboursWhicheverWentFirst) {
  CachingAllocator allocator;
  std::array<CachingAllocator::Block, 3> blocks{};
  for (auto& block : blocks) block = allocator.allocate(6 * kMiB);
  allocator.free(blocks[1]);
  allocator.free(blocks[0]);
  allocator.free(blocks[2]);  // 18 MiB and the rest of 2 MiB
  EXPECT_EQ(allocator.allocated_bytes(), 0);
  allocator.allocate(20 * kMiB);
  EXPECT_EQ(allocator.reserved_bytes(), 20 * kMiB);
}

TEST(CachingAllocator, ThePeakBeginsAnewFromWhatIsOut) {
  CachingAllocator allocator;
  allocator.allocate(2 * kMiB);
  allocator.free(allocator.allocate(4 * kMiB));
  EXPECT_EQ(allocator.peak_allocated_bytes(), 6 * kMiB);
  allocator.reset_peak();
  EXPECT_EQ(allocator.peak_allocated_bytes(), 2 * kMiB);
}

}  // namespace
}  // namespace siliconprof
