#include "siliconprof/devices/held_bytes.h"

#include <gtest/gtest.h>

#include "siliconprof/devices/framework_memory.h"
#include "siliconprof/ops/liveness.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

Trace step(bool offload) {
  return training_step({.workload = "gpt2-small",
                        .sizes = {{"layers", 1}, {"batch", 1}, {"seq", 16}},
                        .offload = offload ? OffloadMode::Serial : OffloadMode::None});
}

TEST(HeldBytes, AreTheTensorsWhereNothingIsKnownOfTheAllocator) {
  HeldBytes held;
  const Trace trace = step(false);
  EXPECT_EQ(held.of(trace, std::nullopt, false), trace.memory().peak_bytes());
  EXPECT_EQ(held.of(trace, std::nullopt, true), trace.memory().peak_bytes());
}

TEST(HeldBytes, AreWhatTheAllocatorHandsOut) {
  HeldBytes held;
  const Trace trace = step(false);
  const AllocatorRules rules = SegmentRules{1 << 23};
  const std::int64_t peak = framework_memory(trace, rules, false).timeline.peak_bytes();
  EXPECT_GT(peak, trace.memory().peak_bytes());
  EXPECT_EQ(held.of(trace, rules, false), peak);
  EXPECT_EQ(held.of(trace, std::nullopt, false), trace.memory().peak_bytes());
  EXPECT_EQ(held.of(trace, rules, false), peak);
}

TEST(HeldBytes, HoldTheHostsTensorsInASharedMemory) {
  HeldBytes held;
  const Trace trace = step(true);
  EXPECT_EQ(held.of(trace, std::nullopt, true),
            memory_timeline(trace, MemoryOf::Both).peak_bytes());
  EXPECT_LT(held.of(trace, std::nullopt, false), held.of(trace, std::nullopt, true));
}

}  // namespace
}  // namespace siliconprof
