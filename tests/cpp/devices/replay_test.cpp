#include "siliconprof/devices/replay.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/devices/allocator.h"
#include "siliconprof/devices/heap_allocator.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

TEST(Replay, LastingMemoryThatComesLateCountsInTheSecondStep) {
  // A state of 4 MiB made at the end of the first step, 6 MiB in the first call, 2 MiB in the last.
  const std::array<Allocation, 3> step{
      {{6 * kMiB, 0, 0}, {2 * kMiB, 1, 1}, {4 * kMiB, 1, 1, true}}};
  const Replay found = replay(CachingAllocator(), step, 2);
  EXPECT_EQ(found.peak, (Held{10 * kMiB, 20 * kMiB}));
  EXPECT_EQ(found.held, (std::vector<Held>{{10 * kMiB, 20 * kMiB}, {6 * kMiB, 20 * kMiB}}));
}

TEST(Replay, NothingAskedForIsNothing) {
  const Replay found = replay(CachingAllocator(), {}, 1);
  EXPECT_EQ(found.peak, Held{});
  EXPECT_EQ(found.held, std::vector<Held>{Held{}});
  EXPECT_FALSE(found.refusal);
}

TEST(Replay, TellsOfTheFirstRefusalAndGoesOnWithoutALimit) {
  const std::array<Allocation, 3> step{
      {{700 * kMiB, 0, 2}, {800 * kMiB, 1, 1}, {900 * kMiB, 2, 2}}};
  const Replay found = replay(HeapAllocator({1400 * kMiB, 1400 * kMiB}), step, 3);
  EXPECT_EQ(found.refusal, (Refusal{1, 800 * kMiB, 700 * kMiB}));
  EXPECT_EQ(found.peak.allocated_bytes, 1600 * kMiB);
}

}  // namespace
}  // namespace siliconprof
