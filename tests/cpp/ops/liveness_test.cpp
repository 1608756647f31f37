#include "siliconprof/ops/liveness.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/copy.h"

namespace siliconprof {
namespace {

constexpr auto kActivation = static_cast<std::size_t>(Role::Activation);

// a (input) → b → c → d, each of n float32.
Trace chain(std::int64_t n) {
  Trace trace;
  TensorId last = trace.add_tensor({"a", {n}, Dtype::Float32, Role::Input});
  for (const char* label : {"b", "c", "d"}) {
    OpCall call = make_call(kCopy, std::vector<std::int64_t>{n}, Dtype::Float32, {});
    call.inputs[0] = last;
    last = trace.add_tensor({label, {n}, Dtype::Float32, Role::Activation});
    call.outputs[0] = last;
    trace.append(call);
  }
  return trace;
}

TEST(Liveness, TensorsLiveFromFirstWriteToLastRead) {
  const MemoryTimeline timeline = memory_timeline(chain(10));
  const auto& points = timeline.points();
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0].by_role_bytes[kActivation], 40);  // b
  EXPECT_EQ(points[1].by_role_bytes[kActivation], 80);  // b, c
  EXPECT_EQ(points[2].by_role_bytes[kActivation], 80);  // c, d: b is dead
  EXPECT_EQ(points[2].live_bytes(), 120);               // and the input throughout
}

TEST(Liveness, PeakIsTheLargestPoint) { EXPECT_EQ(memory_timeline(chain(10)).peak_bytes(), 120); }

TEST(Liveness, ResultsLiveToTheEnd) {
  Trace trace = chain(10);
  OpCall call = make_call(kCopy, std::vector<std::int64_t>{10}, Dtype::Float32, {});
  call.inputs[0] = 0;
  call.outputs[0] = trace.add_tensor({"e", {10}, Dtype::Float32, Role::Activation});
  trace.append(call);
  // d was written before and nobody reads it: it is a result, beside e.
  EXPECT_EQ(memory_timeline(trace).points()[3].by_role_bytes[kActivation], 80);
}

TEST(Liveness, WhatATraceNamesAsResultsLivesToTheEndAndTheRestDies) {
  Trace trace = chain(10);
  trace.set_results({1});
  // b is the result; d is written last and read by nobody.
  EXPECT_EQ(lifetimes(trace), (std::vector<Lifetime>{{0, 2}, {0, 2}, {1, 2}, {2, 2}}));
}

TEST(Liveness, AViewKeepsItsBaseAlive) {
  Trace trace = chain(10);
  OpCall call = make_call(kCopy, std::vector<std::int64_t>{5}, Dtype::Float32, {});
  call.inputs[0] = trace.add_view(1, {5}, 5);
  call.outputs[0] = trace.add_tensor({"e", {5}, Dtype::Float32, Role::Activation});
  trace.append(call);
  EXPECT_EQ(lifetimes(trace)[1], (Lifetime{0, 3}));
  EXPECT_EQ(lifetimes(trace)[4], Lifetime{}) << "the view";
}

TEST(Liveness, UntouchedParametersCountAndUnreadInputsDont) {
  Trace trace = chain(10);
  trace.add_tensor({"frozen", {10}, Dtype::Float32, Role::Parameter});
  trace.add_tensor({"ignored", {10}, Dtype::Float32, Role::Input});
  EXPECT_EQ(memory_timeline(trace).peak_bytes(), 160);
}

TEST(Liveness, OfNothingIsNothing) {
  EXPECT_TRUE(memory_timeline(Trace{}).points().empty());
  EXPECT_EQ(memory_timeline(Trace{}).peak_bytes(), 0);
}

TEST(Liveness, WhatStaysInsideAKernelTakesNoMemory) {
  Trace trace = chain(10);
  OpCall first = trace.calls()[0];
  OpCall second = trace.calls()[1];
  first.inside = 1U << kMaxInputs;
  second.inside = 1U;
  Trace joined("joined");
  for (const TensorInfo& info : trace.tensors()) joined.add_tensor(info);
  joined.append(first);
  joined.append(second);
  const auto made = std::size_t(first.outputs[0]);
  EXPECT_EQ(lifetimes_in_memory(joined)[made], Lifetime{});
  EXPECT_EQ(lifetimes(joined)[made], (Lifetime{0, 1}));
  EXPECT_LT(memory_timeline(joined).peak_bytes(), memory_timeline(trace).peak_bytes());
}

TEST(Liveness, TheHostsMemoryIsCountedApart) {
  Trace trace = chain(10);
  trace.move_to_host(0);
  const std::int64_t all = memory_timeline(chain(10)).peak_bytes();
  const std::int64_t moved = trace.tensors()[0].bytes();
  EXPECT_EQ(memory_timeline(trace, MemoryOf::Host).peak_bytes(), moved);
  EXPECT_LT(memory_timeline(trace).peak_bytes(), all);
  EXPECT_EQ(memory_timeline(trace, MemoryOf::Both).peak_bytes(), all);
  EXPECT_TRUE(keeps_on_host(trace));
  EXPECT_FALSE(keeps_on_host(chain(10)));
  EXPECT_EQ(memory_timeline(chain(10), MemoryOf::Host).peak_bytes(), 0);
}

}  // namespace
}  // namespace siliconprof
