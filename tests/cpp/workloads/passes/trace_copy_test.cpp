#include "siliconprof/workloads/passes/trace_copy.h"

#include <gtest/gtest.h>

#include <array>

#include "workloads/passes/tiny_models.h"

namespace siliconprof {
namespace {

TEST(TraceCopy, OfEveryCallIsTheSameProgram) {
  const Trace trace = tiny_gpt2();
  TraceCopy copy(trace);
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    copy.enter_section_of(i);
    copy.append(trace.calls()[i]);
  }
  const Trace made = copy.finish();
  EXPECT_EQ(op_sequence(made), op_sequence(trace));
  EXPECT_EQ(made.cost(), trace.cost());
  EXPECT_EQ(made.parameters(), trace.parameters());
  EXPECT_EQ(made.sections(), trace.sections());
  EXPECT_EQ(made.memory().peak_bytes(), trace.memory().peak_bytes());
}

TEST(TraceCopy, ViewsFollowWhatStandsForTheirBase) {
  Trace trace("t");
  const TensorId x = trace.add_tensor({"x", {4}, Dtype::Float32, Role::Activation});
  const TensorId part = trace.add_view(x, {2}, 2);
  TraceCopy copy(trace);
  const TensorId other = copy.made().add_tensor({"other", {4}, Dtype::Float16, Role::Activation});
  copy.replace(x, other);
  const TensorInfo view = copy.made().tensors()[std::size_t(copy.id(part))];
  EXPECT_EQ(view.base, other);
  EXPECT_EQ(view.offset_bytes, 4) << "two elements of 2 bytes";
}

TEST(TraceCopy, WhatIsForgottenIsCopiedAnew) {
  Trace trace("t");
  const TensorId x = trace.add_tensor({"x", {4}, Dtype::Float32, Role::Activation});
  const std::array<TensorId, 2> views{trace.add_view(x, {2}, 0), trace.add_view(x, {2}, 2)};
  const TensorId kept = trace.add_tensor({"kept", {4}, Dtype::Float32, Role::Activation});
  TraceCopy copy(trace);
  const TensorId first = copy.id(x);
  const TensorId other = copy.id(kept);
  for (const TensorId view : views) copy.id(view);
  EXPECT_EQ(copy.id(x), first);
  copy.forget(std::array{x});
  for (const TensorId view : views) {
    EXPECT_NE(copy.made().tensors()[std::size_t(copy.id(view))].base, first);
  }
  EXPECT_NE(copy.id(x), first);
  EXPECT_EQ(copy.id(kept), other);
}

TEST(TraceCopy, AppendedCallsTakeTensorsInAnyShape) {
  Trace trace("t");
  const TensorId x = trace.add_tensor({"x", {2, 2}, Dtype::Float32, Role::Input});
  const TensorId y = append_call(trace, "scale", {4}, Dtype::Float32, Phase::Optimizer, {3.0}, {x},
                                 "y", Role::Temporary);
  append_update(trace, "scale", {4}, Dtype::Float32, Phase::Optimizer, {3.0}, {y}, {y});
  EXPECT_EQ(trace.calls()[0].phase, Phase::Optimizer);
  EXPECT_EQ(trace.calls()[1].outputs[0], y);
  EXPECT_EQ(last_writes(trace)[std::size_t(y)], 1);
  EXPECT_EQ(last_writes(trace)[std::size_t(x)], -1);
}

TEST(TraceCopy, ReadersAreInputsThroughViewsResultsAndGradients) {
  Trace trace("t");
  const TensorId x = trace.add_tensor({"x", {4}, Dtype::Float32, Role::Input});
  const TensorId view = trace.add_view(x, {2, 2}, 0);
  const TensorId y = append_call(trace, "add", {4}, Dtype::Float32, Phase::Forward, {}, {x, view},
                                 "y", Role::Activation);
  EXPECT_EQ(readers(trace)[std::size_t(x)], 2);
  EXPECT_EQ(readers(trace)[std::size_t(view)], 0);
  EXPECT_EQ(readers(trace)[std::size_t(y)], 0);
  trace.set_results({y});
  trace.set_gradients({{x, y}});
  EXPECT_EQ(readers(trace)[std::size_t(y)], 2);
}

}  // namespace
}  // namespace siliconprof
