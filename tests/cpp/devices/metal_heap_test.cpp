#include "siliconprof/devices/metal_heap.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

constexpr std::int64_t kPage = 16384;

TEST(MetalHeap, PutsABufferInTheFirstGapThatIsWideEnough) {
  MetalHeap heap(10 * kPage);
  EXPECT_EQ(heap.take(2 * kPage), 0);
  EXPECT_EQ(heap.take(3 * kPage), 2 * kPage);
  EXPECT_EQ(heap.take(kPage), 5 * kPage);
  heap.give_back(0, 2 * kPage);
  EXPECT_EQ(heap.take(3 * kPage), 6 * kPage);
  EXPECT_EQ(heap.take(kPage), 0);
}

TEST(MetalHeap, HasTheLargestGapAvailableFromItsFirstPageOn) {
  MetalHeap heap(4 * kPage);
  heap.take(256);  // three pages are whole
  EXPECT_EQ(heap.available_bytes(), 3 * kPage);
  heap.take(3 * kPage);  // behind the first 256 bytes: less than a page is left, in one
  EXPECT_EQ(heap.available_bytes(), 0);
}

TEST(MetalHeap, JoinsGapsOnEitherSide) {
  MetalHeap heap(3 * kPage);
  for (int i = 0; i < 3; ++i) heap.take(kPage);
  heap.give_back(0, kPage);
  heap.give_back(2 * kPage, kPage);
  EXPECT_EQ(heap.available_bytes(), kPage);
  EXPECT_FALSE(heap.is_empty());
  heap.give_back(kPage, kPage);
  EXPECT_EQ(heap.available_bytes(), 3 * kPage);
  EXPECT_TRUE(heap.is_empty());
}

}  // namespace
}  // namespace siliconprof
