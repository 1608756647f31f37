#include "siliconprof/workloads/passes/update_early.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/passes/accumulate.h"
#include "siliconprof/workloads/passes/adamw.h"
#include "siliconprof/workloads/passes/clip.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

void expect_same_values(const Trace& before, const Trace& after) {
  EXPECT_EQ(before.calls().size(), after.calls().size());
  EXPECT_EQ(before.cost(), after.cost());
  const TracedValues expected(before);
  const TracedValues found(after);
  EXPECT_EQ(expected.loss(), found.loss());
  EXPECT_EQ(expected.parameters(), found.parameters());
  EXPECT_EQ(expected.of("fc1.weight.m"), found.of("fc1.weight.m"));
}

/// The number of the first call of `op` that uses the tensor of that name.
std::int64_t first_call(const Trace& trace, std::string_view op, std::string_view name) {
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    const OpCall& call = trace.calls()[i];
    for (const TensorId id : call.inputs) {
      if (call.op->name == op && id != kNoTensor &&
          trace.tensors()[std::size_t(trace.owner(id))].name == name) {
        return std::int64_t(i);
      }
    }
  }
  return -1;
}

TEST(UpdateEarly, UpdatesAParameterBeforeTheNextGradientIsMade) {
  const Trace trace = adamw(differentiate(tiny_mlp()));
  const Trace made = update_early(trace);
  const auto relu_backward = [](const Trace& of) {
    const std::vector<std::string> ops = op_sequence(of);
    return std::find(ops.begin(), ops.end(), "relu_backward") - ops.begin();
  };
  EXPECT_EQ(made.calls().back().op->name, "adamw");
  EXPECT_LT(first_call(made, "adamw", "fc2.weight"), relu_backward(made));
  EXPECT_GT(first_call(trace, "adamw", "fc2.weight"), relu_backward(trace));
  EXPECT_LE(made.memory().peak_bytes(), trace.memory().peak_bytes());
  expect_same_values(trace, made);
}

// The gradient of the layer below reads the weight as it was.
TEST(UpdateEarly, UpdatesAWeightAfterItsLastReader) {
  const Trace made = update_early(adamw(differentiate(tiny_mlp())));
  EXPECT_GT(first_call(made, "adamw", "fc2.weight"), first_call(made, "matmul", "fc2.weight"));
}

TEST(UpdateEarly, ChangesNoValueAfterClippingOrAccumulation) {
  const Trace backward = differentiate(tiny_mlp());
  for (const Trace& trace : {adamw(clip(backward, 0.01)), adamw(accumulate(backward, 3))}) {
    expect_same_values(trace, update_early(trace));
  }
}

TEST(UpdateEarly, LeavesUpdatesThatShareALaunchWhereTheyAre) {
  const Trace trace = adamw(differentiate(tiny_mlp()), {.fused = true});
  const Trace made = update_early(trace);
  const std::size_t updates = 4;
  const std::size_t first = made.calls().size() - updates + 1;
  for (std::size_t i = first; i < made.calls().size(); ++i) {
    EXPECT_EQ(made.calls()[i].op->name, "adamw");
    EXPECT_TRUE(made.calls()[i].joins_launch);
  }
}

}  // namespace
}  // namespace siliconprof
