#include "siliconprof/workloads/passes/keep_outputs.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/passes/adamw.h"
#include "siliconprof/workloads/passes/in_place.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

const OpCall* find_call(const Trace& trace, std::string_view op) {
  for (const OpCall& call : trace.calls()) {
    if (call.op->name == op) return &call;
  }
  return nullptr;
}

TEST(KeepOutputs, GivesTheGradientOfReluItsOutput) {
  const Trace made = keep_outputs(differentiate(tiny_mlp()));
  const OpCall* backward = find_call(made, "relu_backward");
  ASSERT_NE(backward, nullptr);
  EXPECT_EQ(backward->inputs[0], find_call(made, "relu")->outputs[0]);
}

TEST(KeepOutputs, ChangesNoGradient) {
  const Trace trace = differentiate(tiny_mlp());
  EXPECT_EQ(TracedValues(trace).gradients(), TracedValues(keep_outputs(trace)).gradients());
}

TEST(KeepOutputs, LetsReluWriteOverItsInput) {
  const Trace trace = adamw(differentiate(tiny_mlp(Dtype::Float64, 64)));
  const Trace made = in_place(keep_outputs(trace));
  const OpCall* relu = find_call(made, "relu");
  EXPECT_EQ(relu->inputs[0], relu->outputs[0]);
  EXPECT_LT(made.memory().peak_bytes(), in_place(trace).memory().peak_bytes());
}

// A sum's gradient reads nothing: the output would live for relu alone.
TEST(KeepOutputs, KeepsNoOutputThatTheBackwardPassDoesNotReadAnyway) {
  Builder b("t", Dtype::Float64);
  const TensorId w = b.parameter("w", {4}, Initial{Initial::Kind::Normal, 0.5});
  const TensorId y = b.call("relu", {4}, {w});
  const Trace trace = differentiate(std::move(b).finish(b.call("sum", {1, 4, 1}, {y})));
  const Trace made = keep_outputs(trace);
  const OpCall* backward = find_call(made, "relu_backward");
  ASSERT_NE(backward, nullptr);
  EXPECT_EQ(backward->inputs[0], find_call(trace, "relu_backward")->inputs[0]);
}

}  // namespace
}  // namespace siliconprof
