#include "siliconprof/workloads/passes/trace_copy.h"

#include <gtest/gtest.h>

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
  TraceCopy copy(trace);
  const TensorId first = copy.id(x);
  EXPECT_EQ(copy.id(x), first);
  copy.forget({true});
  EXPECT_NE(copy.id(x), first);
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

}  // namespace
}  // namespace siliconprof
