#include "siliconprof/workloads/passes/replicate.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
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

TEST(Replicate, RefusesNoCopies) { EXPECT_THROW(replicate(add(), 0, 1, false), ArgumentError); }

}  // namespace
}  // namespace siliconprof
