#include "siliconprof/workloads/passes/adamw.h"

#include <gtest/gtest.h>

#include <cmath>

#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

// At the first step m/(1 - beta1) is g and √v/√(1 - beta2) is |g|.
TEST(Adamw, TheFirstStepGoesByTheSignOfTheGradient) {
  const Trace forward = tiny_mlp();
  const Trace trace = adamw(differentiate(forward), {.learning_rate = 0.1, .weight_decay = 0.5});
  const NamedValues gradients = TracedValues(differentiate(forward)).gradients();
  const NamedValues before = TracedValues(forward).parameters();
  const NamedValues after = TracedValues(trace).parameters();
  for (const auto& [name, gradient] : gradients) {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const double step = gradient[i] / (std::abs(gradient[i]) + 1e-8);
      EXPECT_NEAR(after.at(name)[i], before.at(name)[i] * 0.95 - 0.1 * step, 1e-12) << name;
    }
  }
}

TEST(Adamw, KeepsTwoMomentsInStatesThatStartAtZero) {
  const Trace trace = adamw(differentiate(tiny_mlp(Dtype::Float32)));
  const TensorInfo m = tensor_named(trace, "fc1.weight.m");
  EXPECT_EQ(m.role, Role::OptimizerState);
  EXPECT_EQ(m.shape, (Shape{12}));
  EXPECT_EQ(m.initial, (Initial{Initial::Kind::Constant, 0.0}));
  EXPECT_EQ(trace.results().size(), 1U) << "the loss alone";
  EXPECT_EQ(trace.calls().back().phase, Phase::Optimizer);
  EXPECT_EQ(trace.calls().back().op->name, "adamw");
}

TEST(Adamw, FusedIsOneLaunch) {
  const auto launches = [](bool fused) {
    const Trace trace = adamw(differentiate(tiny_mlp()), {.fused = fused});
    return std::count_if(trace.calls().begin(), trace.calls().end(), [](const OpCall& call) {
      return call.op->name == "adamw" && !call.joins_launch;
    });
  };
  EXPECT_EQ(launches(true), 1);
  EXPECT_EQ(launches(false), 4);
}

}  // namespace
}  // namespace siliconprof
