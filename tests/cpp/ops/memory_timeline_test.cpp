#include "siliconprof/ops/memory_timeline.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

MemoryPoint point(std::int32_t call, std::int64_t input_bytes, std::int64_t gradient_bytes) {
  MemoryPoint made{call, {}};
  made.by_role_bytes[static_cast<std::size_t>(Role::Input)] = input_bytes;
  made.by_role_bytes[static_cast<std::size_t>(Role::Gradient)] = gradient_bytes;
  return made;
}

TEST(MemoryTimeline, PeakIsTheLargestSumOverRoles) {
  const MemoryTimeline timeline({point(0, 10, 5), point(1, 10, 30), point(2, 10, 1)});
  EXPECT_EQ(timeline.peak_bytes(), 40);
  EXPECT_EQ(timeline.points()[2].live_bytes(), 11);
}

TEST(MemoryTimeline, IsComparedByContent) {
  EXPECT_EQ(MemoryTimeline({point(0, 1, 2)}), MemoryTimeline({point(0, 1, 2)}));
  EXPECT_NE(MemoryTimeline({point(0, 1, 2)}), MemoryTimeline({point(0, 2, 1)}));
  EXPECT_EQ(MemoryTimeline(), MemoryTimeline(std::vector<MemoryPoint>{}));
}

TEST(MemoryTimeline, OfNothingIsEmpty) {
  EXPECT_TRUE(MemoryTimeline().points().empty());
  EXPECT_EQ(MemoryTimeline().peak_bytes(), 0);
}

}  // namespace
}  // namespace siliconprof
