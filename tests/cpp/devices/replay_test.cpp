#include "siliconprof/devices/replay.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/devices/allocator.h"
#include "siliconprof/devices/heap_allocator.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// From the first call to the last.
Request asked(std::int32_t first, std::int32_t last, bool lasting = false) {
  return {.first = first, .last = last, .lasting = lasting};
}

TEST(Replay, LastingMemoryThatComesLateCountsInTheSecondStep) {
  // A state of 4 MiB made at the end of the first step, 6 MiB in the first call, 2 MiB in the last.
  const Requests step({asked(0, 0), asked(1, 1), asked(1, 1, true)}, 2);
  const std::array<std::int64_t, 3> bytes{6 * kMiB, 2 * kMiB, 4 * kMiB};
  const Replay found = replay(CachingAllocator(), step, bytes);
  EXPECT_EQ(found.peak, (Held{10 * kMiB, 20 * kMiB}));
  EXPECT_EQ(found.held, (std::vector<Held>{{10 * kMiB, 20 * kMiB}, {6 * kMiB, 20 * kMiB}}));
}

TEST(Replay, NothingAskedForIsNothing) {
  const Replay found = replay(CachingAllocator(), Requests({}, 1), {});
  EXPECT_EQ(found.peak, Held{});
  EXPECT_EQ(found.held, std::vector<Held>{Held{}});
  EXPECT_FALSE(found.refusal);
}

TEST(Replay, ARequestOfNoBytesIsNotMade) {
  const Requests step({asked(0, 0), asked(0, 0)}, 1);
  const Replay found = replay(CachingAllocator(), step, std::array<std::int64_t, 2>{0, 512});
  EXPECT_EQ(found.peak.allocated_bytes, 512);
}

TEST(Replay, TellsOfTheFirstRefusalAndGoesOnWithoutALimit) {
  const Requests step({asked(0, 2), asked(1, 1), asked(2, 2)}, 3);
  const std::array<std::int64_t, 3> bytes{700 * kMiB, 800 * kMiB, 900 * kMiB};
  const Replay found = replay(HeapAllocator({1400 * kMiB, 1400 * kMiB}), step, bytes);
  EXPECT_EQ(found.refusal, (Refusal{1, 800 * kMiB, 700 * kMiB}));
  EXPECT_EQ(found.peak.allocated_bytes, 1600 * kMiB);
}

}  // namespace
}  // namespace siliconprof
