#include "siliconprof/devices/framework_memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "siliconprof/ops/liveness.h"
#include "siliconprof/workloads/builder.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

constexpr AllocatorRules kSegments = SegmentRules{8'519'680};
constexpr AllocatorRules kCache = CacheRules{{std::int64_t{1} << 50, std::int64_t{1} << 50}};

Trace small_step(OffloadMode offload = OffloadMode::None) {
  return training_step({.workload = "gpt2-small",
                        .sizes = {{"layers", 1}, {"batch", 1}, {"seq", 16}},
                        .offload = offload});
}

TEST(FrameworkMemory, ATimelineIsWhatTheAllocatorHasGivenOut) {
  for (const AllocatorRules& rules : {kSegments, kCache}) {
    const FrameworkMemory found = framework_memory(small_step(), rules, false);
    const auto& points = found.timeline.points();
    ASSERT_EQ(points.size(), found.replay.held.size());
    for (std::size_t call = 0; call < points.size(); ++call) {
      ASSERT_EQ(points[call].live_bytes(), found.replay.held[call].allocated_bytes);
      for (const std::int64_t bytes : points[call].by_role_bytes) ASSERT_GE(bytes, 0);
    }
    EXPECT_EQ(found.timeline.peak_bytes(), found.replay.peak.allocated_bytes);
  }
}

TEST(FrameworkMemory, RoundingAndWhatTheFrameworkMakesBesidesIsTemporary) {
  Builder b("made", Dtype::Float32);
  const TensorId x = b.input("x", {10});
  const Trace trace = std::move(b).finish(b.call("relu", {10}, {x}));
  const MemoryPoint point = framework_memory(trace, SegmentRules{}, false).timeline.points()[0];
  const auto of = [&](Role role) { return point.by_role_bytes[static_cast<std::size_t>(role)]; };
  EXPECT_EQ(of(Role::Input), 40);
  EXPECT_EQ(of(Role::Activation), 40);
  EXPECT_EQ(of(Role::Temporary), 2 * (512 - 40));
}

TEST(FrameworkMemory, WhatAStepKeepsOnItsHostIsThereWhereTheyShareTheirMemory) {
  const Trace step = small_step(OffloadMode::Overlapped);
  const FrameworkMemory apart = framework_memory(step, kCache, false);
  const FrameworkMemory shared = framework_memory(step, kCache, true);
  const MemoryTimeline host = memory_timeline(step, MemoryOf::Host);
  std::int64_t peak = 0;
  for (std::size_t call = 0; call < host.points().size(); ++call) {
    const std::int64_t both =
        apart.timeline.points()[call].live_bytes() + host.points()[call].live_bytes();
    ASSERT_EQ(shared.timeline.points()[call].live_bytes(), both);
    peak = std::max(peak, both);
  }
  EXPECT_GT(peak, apart.timeline.peak_bytes());
  EXPECT_EQ(shared.timeline.peak_bytes(), peak);
}

}  // namespace
}  // namespace siliconprof
