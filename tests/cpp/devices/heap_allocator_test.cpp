#include "siliconprof/devices/heap_allocator.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kFar = std::int64_t{1} << 50;
HeapAllocator roomy() { return HeapAllocator({kMiB * kMiB, kMiB * kMiB}); }

TEST(HeapAllocator, RoundsTo256BytesAndTakesScalarsSmallAndLargeFromHeapsOfTheirOwn) {
  HeapAllocator allocator = roomy();
  allocator.allocate(8);
  EXPECT_EQ(allocator.allocated_bytes(), 256);
  EXPECT_EQ(allocator.reserved_bytes(), 8 * kMiB);
  allocator.allocate(257);
  EXPECT_EQ(allocator.allocated_bytes(), 256 + 512);
  EXPECT_EQ(allocator.reserved_bytes(), 16 * kMiB);
  allocator.allocate(kMiB + 1);
  EXPECT_EQ(allocator.reserved_bytes(), 48 * kMiB);
}

TEST(HeapAllocator, PacksMiddleSizesIn1GiBAndGivesTheLargestAHeapEach) {
  HeapAllocator allocator = roomy();
  allocator.allocate(10 * kMiB);
  EXPECT_EQ(allocator.reserved_bytes(), 1024 * kMiB);
  allocator.allocate(500 * kMiB);
  allocator.allocate(514 * kMiB);  // exactly what is left
  EXPECT_EQ(allocator.reserved_bytes(), 1024 * kMiB);
  allocator.allocate(513 * kMiB);  // in whole 2 MiB
  EXPECT_EQ(allocator.reserved_bytes(), 1538 * kMiB);
}

TEST(HeapAllocator, ReusesABufferUpTo32MiBLarger) {
  HeapAllocator allocator = roomy();
  allocator.free(allocator.allocate(40 * kMiB));
  allocator.allocate(8 * kMiB);
  EXPECT_EQ(allocator.allocated_bytes(), 40 * kMiB);
}

TEST(HeapAllocator, CutsAFarTooLargeBufferAnewOnlyWhereItsHeapsAreFull) {
  HeapAllocator allocator = roomy();
  allocator.free(allocator.allocate(600 * kMiB));  // a heap of its own
  allocator.allocate(20 * kMiB);
  EXPECT_EQ(allocator.allocated_bytes(), 20 * kMiB);
  EXPECT_EQ(allocator.reserved_bytes(), 600 * kMiB);
  allocator.allocate(570 * kMiB);
  EXPECT_EQ(allocator.reserved_bytes(), 600 * kMiB);
}

TEST(HeapAllocator, AboveTheLowWatermarkHeapsAreNoLargerThanTheirBuffers) {
  HeapAllocator allocator({100 * kMiB, 4096 * kMiB});
  allocator.allocate(600 * kMiB);
  allocator.allocate(20 * kMiB);
  EXPECT_EQ(allocator.reserved_bytes(), 620 * kMiB);
}

TEST(HeapAllocator, AboveTheLowWatermarkBuffersOfAtLeastTheMeanAgeAreGivenUp) {
  HeapAllocator allocator({1230 * kMiB, 4096 * kMiB});
  const auto old = allocator.allocate(600 * kMiB);
  const auto young = allocator.allocate(610 * kMiB);
  allocator.free(old);
  allocator.allocate(616 * kMiB);  // a search that the old one has waited through
  allocator.free(young);
  EXPECT_EQ(allocator.reserved_bytes(), 1826 * kMiB);
  allocator.allocate(620 * kMiB);  // 596 too many: ages 2 and 1, the old one goes
  EXPECT_EQ(allocator.reserved_bytes(), (1826 - 600 + 620) * kMiB);
  allocator.allocate(610 * kMiB);
  EXPECT_EQ(allocator.reserved_bytes(), 1846 * kMiB);
}

TEST(HeapAllocator, TheHighWatermarkGivesUpWhatIsCachedThenRefuses) {
  HeapAllocator allocator({2000 * kMiB, 2000 * kMiB});
  allocator.free(allocator.allocate(900 * kMiB));
  allocator.allocate(600 * kMiB);  // cut from the 900: its heap has room
  EXPECT_EQ(allocator.reserved_bytes(), 900 * kMiB);
  allocator.allocate(1100 * kMiB);
  EXPECT_EQ(allocator.reserved_bytes(), 2000 * kMiB);
  EXPECT_FALSE(allocator.has_refused());
  allocator.allocate(400 * kMiB);
  EXPECT_TRUE(allocator.has_refused());
  EXPECT_EQ(allocator.allocated_bytes(), 2100 * kMiB);
}

TEST(HeapAllocator, ReleasesABufferThatIsTooSmallAtTheHighWatermark) {
  HeapAllocator allocator({2000 * kMiB, 2000 * kMiB});
  allocator.allocate(1000 * kMiB);
  allocator.free(allocator.allocate(600 * kMiB));
  allocator.allocate(800 * kMiB);  // 1600 + 800 are too many: the 600 go
  EXPECT_FALSE(allocator.has_refused());
  EXPECT_EQ(allocator.reserved_bytes(), 1800 * kMiB);
  EXPECT_EQ(allocator.peak_reserved_bytes(), 1800 * kMiB);
}

TEST(HeapAllocator, MarksChangeNothingUpToWhereARequestWouldReachThem) {
  // Rounded to 256 bytes, it is refused by what is reserved.
  EXPECT_TRUE(HeapAllocator::is_within({kFar, 10'512}, 10'000, 500));
  EXPECT_FALSE(HeapAllocator::is_within({kFar, 10'511}, 10'000, 500));
  // The low mark is asked for in whole MiB.
  EXPECT_TRUE(HeapAllocator::is_within({3 * kMiB, kFar}, 2 * kMiB, 1));
  EXPECT_FALSE(HeapAllocator::is_within({3 * kMiB, kFar}, 2 * kMiB + 1, 1));
}

}  // namespace
}  // namespace siliconprof
