#include "siliconprof/workloads/passes/replicate.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/reuse.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

Trace add() { return single_op("add", {{"n", 4}}, Dtype::Float32, {}, false); }

TEST(Replicate, EachCopyHasTensorsOfItsOwnAndEachCallItsRepeats) {
  const Trace made = replicate(add(), 3, 2, false);
  ASSERT_EQ(made.calls().size(), 6U);
  EXPECT_EQ(made.tensors().size(), 9U);
  EXPECT_EQ(made.calls()[0].inputs, made.calls()[1].inputs);
  EXPECT_NE(made.calls()[0].inputs, made.calls()[2].inputs);
  EXPECT_EQ(made.tensors()[3].name, "input0.1");
}

TEST(Replicate, AnUpdateWritesOverAnInput) {
  const Trace made = replicate(add(), 1, 1, true);
  EXPECT_EQ(made.calls()[0].outputs[0], made.calls()[0].inputs[0]);
}

TEST(Replicate, UpdatesOfOneCallTakeDifferentInputs) {
  const Trace made =
      replicate(single_op("adamw", {{"n", 4}}, Dtype::Float32, {}, false), 1, 1, true);
  const OpCall& call = made.calls()[0];
  EXPECT_NE(call.outputs[0], call.outputs[1]);
  EXPECT_NE(call.outputs[1], call.outputs[2]);
}

TEST(Replicate, ViewsFollowTheirBases) {
  const Trace layer =
      single_op("linear", {{"rows", 2}, {"in", 3}, {"out", 4}}, Dtype::Float32, {}, true);
  const Trace made = replicate(layer, 2, 1, false);
  const auto count = layer.tensors().size();
  ASSERT_EQ(made.tensors().size(), 2 * count);
  int views = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& from = layer.tensors()[i];
    if (!from.is_view()) continue;
    EXPECT_EQ(made.tensors()[count + i].base, from.base + int(count));
    ++views;
  }
  EXPECT_GT(views, 0);
}

TEST(Replicate, ASumOverOtherMemoryPushesOperandsAwayAfterEachCopy) {
  const Trace made = replicate(add(), 2, 2, false, 4001);
  ASSERT_EQ(made.calls().size(), 6U);
  const OpCall& first = made.calls()[2];
  EXPECT_EQ(first.op->name, "sum");
  EXPECT_EQ(made.calls()[5].inputs, first.inputs);
  const TensorInfo& swept = made.tensors()[std::size_t(first.inputs[0])];
  EXPECT_EQ(swept.bytes(), 4004);
  EXPECT_TRUE(swept.initial.has_value());  // nobody is asked for it
  const auto traffic = call_traffic(made, 400.0);
  EXPECT_GT(traffic[0].far_bytes, 0.99 * traffic[0].bytes);
  EXPECT_LT(traffic[1].far_bytes, 0.01 * traffic[1].bytes);
}

TEST(Replicate, RefusesNoCopiesAndFewerThanNoBytes) {
  EXPECT_THROW(replicate(add(), 0, 1, false), ArgumentError);
  EXPECT_THROW(replicate(add(), 1, 1, false, -1), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
