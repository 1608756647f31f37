#include "siliconprof/workloads/passes/in_place.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/passes/adamw.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

TEST(InPlace, GivesTheSameValuesInLessMemory) {
  const Trace trace = adamw(differentiate(tiny_gpt2()));
  const Trace made = in_place(trace);
  EXPECT_LT(made.memory().peak_bytes(), trace.memory().peak_bytes());
  const TracedValues before(trace);
  const TracedValues after(made);
  EXPECT_EQ(before.loss(), after.loss());
  EXPECT_EQ(before.parameters(), after.parameters());
}

TEST(InPlace, NeverWritesOverAResultOrAnInput) {
  Builder b("t", Dtype::Float32);
  const TensorId x = b.input("x", {4});
  const TensorId y = b.call("relu", {4}, {x});
  const TensorId z = b.call("relu", {4}, {y});
  const TensorId w = b.call("relu", {4}, {z});
  Trace trace = std::move(b).finish(w);
  trace.set_results({y, w});
  const Trace made = in_place(trace);
  EXPECT_NE(made.calls()[0].outputs[0], made.calls()[0].inputs[0]);
  EXPECT_NE(made.calls()[1].outputs[0], made.calls()[1].inputs[0]) << "y is a result";
  EXPECT_NE(made.calls()[2].outputs[0], made.calls()[2].inputs[0]) << "w is a result of its own";
}

// Its rows are read after others were written, in the order that indices say.
TEST(InPlace, NeverWritesOverWhatIndicesChoose) {
  Builder b("t", Dtype::Float32);
  const TensorId x = b.input("x", {4, 3});
  const TensorId index = b.indices("index", {4}, 4);
  const TensorId sum = b.call("relu", {12}, {x});
  const TensorId dy = b.call("silu", {12}, {x});
  const TensorId kept = b.call("embedding_backward_add", {4, 4, 3}, {sum, index, dy});
  const TensorId dz = b.call("gelu_tanh", {12}, {x});
  const TensorId last = b.call("embedding_backward_add", {4, 4, 3}, {kept, index, dz});
  Trace trace = std::move(b).finish(b.call("sum", {1, 12, 1}, {last}));
  trace.set_results({trace.results()[0], sum});
  const Trace made = in_place(trace);
  const OpCall& of_a_result = made.calls()[2];
  EXPECT_NE(of_a_result.outputs[0], of_a_result.inputs[0]);
  EXPECT_NE(made.owner(of_a_result.outputs[0]), made.owner(of_a_result.inputs[2]));
  EXPECT_EQ(made.calls()[4].outputs[0], made.calls()[4].inputs[0]);
}

TEST(InPlace, WritesOverWhatNobodyReadsAgain) {
  Builder b("t", Dtype::Float32);
  const TensorId x = b.input("x", {4});
  const TensorId y = b.call("relu", {4}, {x});
  const TensorId z = b.call("silu", {4}, {y});
  const Trace made = in_place(std::move(b).finish(b.call("sum", {1, 4, 1}, {z})));
  EXPECT_EQ(made.calls()[1].outputs[0], made.calls()[1].inputs[0]);
}

}  // namespace
}  // namespace siliconprof
