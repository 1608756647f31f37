#include "siliconprof/workloads/passes/lower.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

TEST(Lower, EveryFormComputesTheSame) {
  const Trace plain = differentiate(tiny_gpt2());
  const double loss = TracedValues(plain).loss();
  const NamedValues wanted = TracedValues(plain).gradients();
  for (const Lowering& traits :
       {Lowering{.fused_attention = false},
        Lowering{.fused_attention = false, .torch_attention = true},
        Lowering{.bias_in_product = false}, Lowering{.bias_activation = BiasActivation::Joined},
        Lowering{.fused_attention = false,
        .bias_in_product = false,
        .bias_activation = BiasActivation::Joined}}) {
    const TracedValues found(differentiate(lower(tiny_gpt2(), traits)));
    EXPECT_NEAR(found.loss(), loss, 1e-13);
    const NamedValues gradients = found.gradients();
    for (const auto& [name, values] : wanted) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(gradients.at(name)[i], values[i], 1e-12) << name;
      }
    }
  }
}

TEST(Lower, ABiasJoinsTheActivationBehindIt) {
  const Trace trace = lower(tiny_mlp(), {.bias_activation = BiasActivation::Joined});
  const std::vector<std::string> wanted{"matmul", "bias_relu", "linear", "cross_entropy"};
  EXPECT_EQ(op_sequence(trace), wanted);
}

TEST(Lower, ABiasCanStandApart) {
  const Trace trace = lower(tiny_mlp(), {.bias_in_product = false});
  const std::vector<std::string> wanted{"matmul", "bias", "relu",
                                        "matmul", "bias", "cross_entropy"};
  EXPECT_EQ(op_sequence(trace), wanted);
}

TEST(Lower, WhatAModelHasJoinedIsTakenApartAgain) {
  Builder b("t", Dtype::Float32);
  const TensorId x = b.input("x", {2, 3});
  const TensorId bias = b.parameter("bias", {3}, {});
  const Trace trace = std::move(b).finish(b.call("bias_gelu_erf", {2, 3}, {x, bias}));
  EXPECT_EQ(op_sequence(lower(trace, {.bias_activation = BiasActivation::Apart})),
            (std::vector<std::string>{"bias", "gelu_erf"}));
  EXPECT_EQ(op_sequence(lower(trace, {})), std::vector<std::string>{"bias_gelu_erf"});
}

TEST(Lower, AttentionHasCopiesWhereAModelMakesThem) {
  Builder b("t", Dtype::Float64);
  const TensorId x = b.input("x", {2, 3, 8});
  const TensorId w = b.parameter("w", {2, 3, 8}, {Initial::Kind::Constant, 0.5});
  const TensorId y = b.call("attention", {2, 2, 3, 3, 4}, {x, w, x}, {0.0});
  const Trace trace = std::move(b).finish(b.call("sum", {1, 48, 1}, {y}));
  const Trace copied = lower(trace, {.copied_heads = true});
  EXPECT_EQ(op_sequence(copied), (std::vector<std::string>{"transpose", "transpose", "transpose",
                                                           "attention", "transpose", "sum"}));
  const TracedValues plain(differentiate(trace));
  const TracedValues found(differentiate(copied));
  EXPECT_NEAR(found.loss(), plain.loss(), 1e-13);
  for (std::size_t i = 0; i < 48; ++i) {
    EXPECT_NEAR(found.gradients().at("w")[i], plain.gradients().at("w")[i], 1e-13);
  }
}

TEST(Lower, AttentionOfSharedKeysIsMaterialisedWhereNoKernelTakesThem) {
  Builder b("t", Dtype::Float64);
  const TensorId x = b.input("x", {1, 3, 8});
  const TensorId w = b.parameter("w", {1, 3, 4}, {Initial::Kind::Constant, 0.5});
  const TensorId keys = b.call("broadcast", {3, 2, 4}, {w});
  const TensorId y = b.call("attention", {1, 2, 3, 3, 4}, {x, keys, keys}, {1.0});
  const Trace trace = std::move(b).finish(b.call("sum", {1, 24, 1}, {y}));
  const auto attentions = [](const Trace& t) {
    const auto ops = op_sequence(t);
    return std::count(ops.begin(), ops.end(), "attention");
  };
  EXPECT_EQ(attentions(lower(trace, {.bias_in_product = false})), 1);
  const Trace apart = lower(trace, {.fused_groups = false});
  EXPECT_EQ(attentions(apart), 0);
  const TracedValues plain(differentiate(trace));
  const TracedValues found(differentiate(apart));
  EXPECT_NEAR(found.loss(), plain.loss(), 1e-13);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(found.gradients().at("w")[i], plain.gradients().at("w")[i], 1e-13);
  }
  // Keys of their own for each head stay as they are.
  Builder own("t", Dtype::Float64);
  const TensorId z = own.input("x", {1, 3, 8});
  const Trace heads =
      std::move(own).finish(own.call("attention", {1, 2, 3, 3, 4}, {z, z, z}, {1.0}));
  EXPECT_EQ(attentions(lower(heads, {.fused_groups = false})), 1);
}

TEST(Lower, ASumWithSomethingScaledIsTwoCallsWhereAFrameworkMakesThem) {
  Builder b("t", Dtype::Float64);
  const TensorId x = b.input("x", {3});
  const TensorId w = b.parameter("w", {3}, {Initial::Kind::Constant, 0.5});
  const TensorId y = b.call("triad", {3}, {x, w}, {4.0});
  const Trace trace = std::move(b).finish(b.call("sum", {1, 3, 1}, {y}));
  const Trace apart = lower(trace, {.scaled_sum = false});
  EXPECT_EQ(op_sequence(apart), (std::vector<std::string>{"scale", "add", "sum"}));
  EXPECT_EQ(op_sequence(lower(trace, {})), (std::vector<std::string>{"triad", "sum"}));
  EXPECT_DOUBLE_EQ(TracedValues(apart).loss(), TracedValues(trace).loss());
  EXPECT_DOUBLE_EQ(TracedValues(differentiate(apart)).gradients().at("w")[0], 4.0);
}

}  // namespace
}  // namespace siliconprof
