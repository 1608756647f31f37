#include "siliconprof/workloads/passes/join_kernels.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/passes/adamw.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

TEST(JoinKernels, KeepsEveryValueOfAStep) {
  for (const Trace& forward : {tiny_gpt2(), tiny_mlp()}) {
    const Trace trace = differentiate(forward);
    const Trace made = join_kernels(trace);
    const TracedValues before(trace);
    const TracedValues after(made);
    EXPECT_EQ(before.loss(), after.loss());
    EXPECT_EQ(before.gradients(), after.gradients());
    EXPECT_EQ(made.calls().size(), trace.calls().size());
  }
}

/// relu → gelu, which a product reads too → add: of gelu's traffic the write alone stays.
TEST(JoinKernels, WhatOnlyAKernelReadsStaysInside) {
  Builder b("chain", Dtype::Float32);
  const TensorId x = b.input("x", {2, 4});
  const TensorId a = b.call("relu", {8}, {x});
  const TensorId y = b.call("gelu_erf", {8}, {a});
  const TensorId z = b.call("add", {8}, {y, a});
  const TensorId w = b.parameter("w", {4, 4}, {});
  const TensorId product = b.call("matmul", {1, 2, 4, 4}, {y, w});
  const TensorId result = b.call("add", {8}, {product, z});
  const Trace made = join_kernels(std::move(b).finish(result));
  const auto& calls = made.calls();
  ASSERT_EQ(op_sequence(made),
            (std::vector<std::string>{"relu", "gelu_erf", "add", "matmul", "add"}));
  EXPECT_EQ(cost_of(calls[0]).bytes_read, 32);
  EXPECT_EQ(cost_of(calls[0]).bytes_written, 0);  // relu's result is the kernel's own
  EXPECT_EQ(cost_of(calls[1]).bytes_read, 0);
  EXPECT_EQ(cost_of(calls[1]).bytes_written, 32);  // the product reads it
  EXPECT_EQ(cost_of(calls[2]).bytes_read, 0);
  EXPECT_EQ(cost_of(calls[2]).bytes_written, 32);
  EXPECT_EQ(calls[3].inside, 0);
  EXPECT_EQ(calls[4].inside, 0);
  EXPECT_FALSE(calls[0].joins_launch);
  EXPECT_TRUE(calls[1].joins_launch && calls[2].joins_launch);
  EXPECT_FALSE(calls[3].joins_launch || calls[4].joins_launch);
}

TEST(JoinKernels, AKernelReadsAnOperandOfTwoCallsOnce) {
  Builder b("pair", Dtype::Float32);
  const TensorId x = b.input("x", {8});
  const TensorId a = b.call("relu", {8}, {x});
  const TensorId c = b.call("gelu_erf", {8}, {x});
  const Trace made = join_kernels(std::move(b).finish(b.call("add", {8}, {a, c})));
  EXPECT_EQ(made.cost().bytes(), 64);  // x in, the sum out
}

/// A product reads what a kernel makes whose last call comes later in the trace.
TEST(JoinKernels, AKernelRunsBeforeWhatReadsIt) {
  Builder b("early", Dtype::Float64);
  const TensorId x = b.input("x", {2, 2});
  const TensorId w = b.parameter("w", {2, 2}, {Initial::Kind::Normal, 0.5});
  const TensorId a = b.call("relu", {4}, {x});
  const TensorId y = b.call("matmul", {1, 2, 2, 2}, {a, w});
  const TensorId c = b.call("gelu_erf", {4}, {a});
  const Trace trace = std::move(b).finish(b.call("matmul", {1, 2, 2, 2}, {y, c}));
  const Trace made = join_kernels(trace);
  EXPECT_EQ(op_sequence(made), (std::vector<std::string>{"relu", "gelu_erf", "matmul", "matmul"}));
  EXPECT_EQ(TracedValues(made).loss(), TracedValues(trace).loss());
}

TEST(JoinKernels, CallsOfAKernelStandOneBehindTheOther) {
  const Trace made = join_kernels(differentiate(tiny_gpt2()));
  for (std::size_t i = 0; i < made.calls().size(); ++i) {
    const OpCall& call = made.calls()[i];
    if (!call.joins_launch) continue;
    ASSERT_GT(i, 0U);
    EXPECT_EQ(call.phase, made.calls()[i - 1].phase);
    EXPECT_EQ(call.op->product, nullptr);
  }
}

TEST(JoinKernels, LeavesUpdatesOfParametersAsTheyAre) {
  const Trace trace = adamw(differentiate(tiny_mlp()), {.fused = true});
  const Trace made = join_kernels(trace);
  for (const OpCall& call : made.calls()) {
    if (call.phase != Phase::Optimizer) continue;
    EXPECT_EQ(call.inside, 0);
  }
  EXPECT_EQ(count_op(made, "adamw"), count_op(trace, "adamw"));
}

TEST(JoinKernels, MovesNoMoreMemoryAndNeedsNoMore) {
  const Trace trace = differentiate(tiny_gpt2());
  const Trace made = join_kernels(trace);
  EXPECT_LT(made.cost().bytes(), trace.cost().bytes());
  EXPECT_EQ(made.cost().flops(), trace.cost().flops());
  EXPECT_LE(made.memory().peak_bytes(), trace.memory().peak_bytes());
}

}  // namespace
}  // namespace siliconprof
