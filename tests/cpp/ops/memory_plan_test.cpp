#include "siliconprof/ops/memory_plan.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "siliconprof/ops/copy.h"
#include "siliconprof/ops/liveness.h"

namespace siliconprof {
namespace {

TensorId append_copy(Trace& trace, TensorId from, Role role = Role::Activation) {
  const std::int64_t n = trace.tensors()[std::size_t(from)].shape[0];
  OpCall call = make_call(kCopy, std::vector<std::int64_t>{n}, Dtype::Float32, {});
  call.inputs[0] = from;
  call.outputs[0] = trace.add_tensor({"t", {n}, Dtype::Float32, role});
  trace.append(call);
  return call.outputs[0];
}

TEST(MemoryPlan, AChainNeedsTwoBuffersInTurn) {
  Trace trace;
  TensorId last = trace.add_tensor({"x", {16}, Dtype::Float32, Role::Input});
  for (int i = 0; i < 5; ++i) last = append_copy(trace, last);
  const MemoryPlan plan = plan_memory(trace);
  EXPECT_EQ(plan.arena_bytes, 128);
  EXPECT_EQ(plan.offset_bytes, (std::vector<std::int64_t>{kNotPlanned, 0, 64, 0, 64, 0}));
}

TEST(MemoryPlan, LeavesOutWhatLivesThroughoutAndViews) {
  Trace trace;
  const TensorId weight = trace.add_tensor({"w", {16}, Dtype::Float32, Role::Parameter});
  const TensorId y = append_copy(trace, weight);
  const TensorId view = trace.add_view(y, {4, 4});
  const MemoryPlan plan = plan_memory(trace);
  EXPECT_EQ(plan.offset_bytes[std::size_t(weight)], kNotPlanned);
  EXPECT_EQ(plan.offset_bytes[std::size_t(view)], kNotPlanned);
  EXPECT_EQ(plan.arena_bytes, 64);
}

TEST(MemoryPlan, TheBytesOfARunAreTheArenaAndWhatLivesThroughout) {
  Trace trace;
  const TensorId weight = trace.add_tensor({"w", {17}, Dtype::Float32, Role::Parameter});
  append_copy(trace, weight);
  EXPECT_EQ(planned_bytes(trace), 128 + 128) << "68 bytes each, in whole lines of 64";
}

TEST(MemoryPlan, TensorsThatLiveAtOnceNeverOverlapAndThePeakIsNearlyReached) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    Trace trace;
    std::vector<TensorId> made;
    for (int i = 0; i < 4; ++i) {
      const auto n = std::int64_t(random() % 1000) + 1;
      made.push_back(trace.add_tensor({"x", {n}, Dtype::Float32, Role::Input}));
    }
    for (int i = 0; i < 60; ++i) made.push_back(append_copy(trace, made[random() % made.size()]));
    trace.set_results({made.back()});
    const MemoryPlan plan = plan_memory(trace);
    const auto lives = lifetimes(trace);
    for (std::size_t a = 0; a < lives.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (plan.offset_bytes[a] == kNotPlanned || plan.offset_bytes[b] == kNotPlanned) continue;
        if (lives[a].first > lives[b].last || lives[b].first > lives[a].last) continue;
        const std::int64_t end_a = plan.offset_bytes[a] + trace.tensors()[a].bytes();
        const std::int64_t end_b = plan.offset_bytes[b] + trace.tensors()[b].bytes();
        EXPECT_TRUE(end_a <= plan.offset_bytes[b] || end_b <= plan.offset_bytes[a]);
      }
    }
    std::int64_t inputs = 0;
    for (std::size_t id = 0; id < 4; ++id) {
      if (lives[id].first >= 0) inputs += trace.tensors()[id].bytes();
    }
    const std::int64_t peak = memory_timeline(trace).peak_bytes() - inputs;
    EXPECT_GE(plan.arena_bytes, peak);
    EXPECT_LE(double(plan.arena_bytes), 1.25 * double(peak) + 64 * 64);
  }
}

}  // namespace
}  // namespace siliconprof
