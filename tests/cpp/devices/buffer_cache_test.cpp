#include "siliconprof/devices/buffer_cache.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

constexpr std::int64_t kPage = 16384;
constexpr CacheLimits kFar{std::int64_t{1} << 50, std::int64_t{1} << 50};

TEST(BufferCache, RoundsWhatIsLargerThanAPageToPages) {
  BufferCache cache(kFar);
  cache.allocate(100);
  cache.allocate(kPage + 1);
  EXPECT_EQ(cache.allocated_bytes(), 100 + 2 * kPage);
  EXPECT_EQ(cache.reserved_bytes(), 100 + 2 * kPage);
}

TEST(BufferCache, ReusesOneThatIsLessThanTwoPagesLarger) {
  BufferCache cache(kFar);
  cache.free(cache.allocate(10 * kPage));
  const auto near = cache.allocate(9 * kPage);
  EXPECT_EQ(cache.allocated_bytes(), 10 * kPage);
  cache.free(near);
  cache.allocate(8 * kPage);
  EXPECT_EQ(cache.allocated_bytes(), 8 * kPage);
  EXPECT_EQ(cache.reserved_bytes(), 18 * kPage);
}

TEST(BufferCache, ReusesASmallOneOfLessThanTwiceTheSize) {
  BufferCache cache(kFar);
  cache.free(cache.allocate(400));
  cache.allocate(200);
  EXPECT_EQ(cache.allocated_bytes(), 200);
  cache.allocate(201);
  EXPECT_EQ(cache.allocated_bytes(), 600);
}

TEST(BufferCache, GivesUpTheOldestAboveTheLimitOfWhatIsOutAndKept) {
  BufferCache cache({100 * kPage, kFar.most_bytes});
  const auto old = cache.allocate(30 * kPage);
  const auto young = cache.allocate(50 * kPage);
  cache.free(old);
  cache.free(young);
  cache.allocate(40 * kPage);  // 80 + 40: 20 too many, so the 30 go
  EXPECT_EQ(cache.reserved_bytes(), 90 * kPage);
  cache.allocate(55 * kPage);  // 90 + 55: 45 of the 50 are nearly all
  EXPECT_EQ(cache.reserved_bytes(), 95 * kPage);
}

TEST(BufferCache, KeepsNoMoreThanItMay) {
  BufferCache cache({kFar.collect_bytes, 10 * kPage});
  const auto first = cache.allocate(12 * kPage);
  const auto second = cache.allocate(20 * kPage);
  cache.free(first);  // one may be beyond it
  cache.free(second);
  EXPECT_EQ(cache.reserved_bytes(), 12 * kPage);
  cache.allocate(1);  // 2 pages too many: the one that is kept goes
  EXPECT_EQ(cache.reserved_bytes(), 1);
}

TEST(BufferCache, ThePeaksBeginAnewFromWhatIsOut) {
  BufferCache cache(kFar);
  cache.allocate(5 * kPage);
  cache.free(cache.allocate(20 * kPage));
  cache.reset_peak();
  EXPECT_EQ(cache.peak_allocated_bytes(), 5 * kPage);
  EXPECT_EQ(cache.peak_reserved_bytes(), 25 * kPage);
}

TEST(BufferCache, LimitsChangeNothingBelowTheLowerOfThem) {
  EXPECT_TRUE(BufferCache::is_within({100, 200}, 99));
  EXPECT_FALSE(BufferCache::is_within({100, 200}, 100));
  EXPECT_FALSE(BufferCache::is_within({200, 100}, 100));
}

}  // namespace
}  // namespace siliconprof
