#include "siliconprof/devices/eager_memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "siliconprof/devices/allocator_rules.h"
#include "siliconprof/ops/table.h"
#include "siliconprof/workloads/builder.h"
#include "siliconprof/workloads/catalogue.h"
#include "siliconprof/workloads/models/layers.h"
#include "siliconprof/workloads/passes/adamw.h"
#include "siliconprof/workloads/passes/autocast.h"
#include "siliconprof/workloads/passes/checkpoint.h"
#include "siliconprof/workloads/passes/differentiate.h"
#include "siliconprof/workloads/passes/join_kernels.h"
#include "siliconprof/workloads/passes/recompute.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

constexpr Initial kOnes{Initial::Kind::Constant, 1.0};

struct Asked {
  std::int64_t bytes;
  Request request;
};

/// What a step on CUDA asks for.
std::vector<Asked> asked(const Trace& trace, std::int64_t workspace_bytes = 0) {
  const Requests requests = eager_requests(trace, true);
  const auto bytes = bytes_of(requests, trace, SegmentRules{workspace_bytes});
  std::vector<Asked> found;
  for (std::size_t i = 0; i < bytes.size(); ++i) found.push_back({bytes[i], requests[i]});
  return found;
}

/// How many requests of so many bytes there are.
std::ptrdiff_t count(const std::vector<Asked>& found, std::int64_t bytes) {
  return std::count_if(found.begin(), found.end(),
                       [&](const Asked& a) { return a.bytes == bytes; });
}

/// Logits (4, 100) of a product with a weight (100, 8), and their loss.
Trace loss_of_a_product() {
  Builder b("made", Dtype::Float32);
  const TensorId x = b.input("x", {4, 8});
  const TensorId weight = b.parameter("weight", {100, 8}, kOnes);
  const TensorId targets = b.indices("targets", {4}, 100);
  const TensorId logits = b.call("matmul", {1, 4, 8, 100}, {x, weight}, {0.0, 1.0});
  return std::move(b).finish(b.call("cross_entropy", {4, 100}, {logits, targets}));
}

TEST(EagerMemory, TheLossKeepsLogProbabilitiesAndItsGradientTakesOneMoreCopy) {
  const Trace trace = differentiate(loss_of_a_product());
  const auto found = asked(trace);
  // Logits, log-probabilities, the loss's gradient, dlogits; the logits go with the loss.
  EXPECT_EQ(count(found, 1600), 4);
  const auto logits =
      std::find_if(found.begin(), found.end(), [](const Asked& a) { return a.bytes == 1600; });
  EXPECT_EQ(logits->request.last, 1);
}

TEST(EagerMemory, TheOptimizerHoldsATemporaryForEachParameterAndGradientsStay) {
  const Trace trace = adamw(differentiate(loss_of_a_product()), {.fused = true});
  const auto found = asked(trace);
  const auto end = std::int32_t(trace.calls().size()) - 1;
  // The weight, its gradient, two moments and the temporary.
  EXPECT_EQ(count(found, 3200), 5);
  EXPECT_TRUE(std::all_of(found.begin(), found.end(), [&](const Asked& a) {
    return a.bytes != 3200 || a.request.last == end;
  }));
}

TEST(EagerMemory, EachThreadsFirstProductTakesAWorkspaceForGood) {
  const auto found = asked(differentiate(loss_of_a_product()), 77);
  EXPECT_EQ(count(found, 77), 2);
  EXPECT_TRUE(std::all_of(found.begin(), found.end(),
                          [](const Asked& a) { return a.bytes != 77 || a.request.lasting; }));
}

TEST(EagerMemory, ReluWorksInPlaceWhereNobodyElseReadsItsInput) {
  Builder b("made", Dtype::Float32);
  const TensorId x = b.input("x", {10});
  const TensorId doubled = b.call("add", {10}, {x, x});
  const TensorId y = b.call("relu", {10}, {doubled});
  const auto found = asked(std::move(b).finish(y));
  EXPECT_EQ(count(found, 40), 2);  // x, and the one that relu shares
}

TEST(EagerMemory, TheSecondGradientOfATableIsAddedToTheCastOfTheFirst) {
  const auto of_table = [](bool cast) {
    Builder b("t", Dtype::Float32);
    const TensorId table = b.parameter("table", {50, 6}, kOnes);
    const TensorId rows = b.indices("rows", {1, 3}, 50);
    const TensorId x = b.call("embedding", {50, 3, 6}, {table, rows});
    const TensorId y = b.call("matmul", {1, 3, 6, 50}, {x, table}, {0.0, 1.0});
    Trace forward = std::move(b).finish(y);
    if (cast) forward = autocast(forward, Dtype::Float16);
    return count(asked(differentiate(forward)), 50 * 6 * 4);
  };
  // The table, and three gradients in turn: of the product, of its rows and their sum.
  EXPECT_EQ(of_table(false), 4);
  EXPECT_EQ(of_table(true), 3);
}

TEST(EagerMemory, AGradientOfLogitsThatTheModelWidensIsAsWideAsThey) {
  const auto held = [](bool widens_logits, std::string_view op = "cross_entropy_backward") {
    const Trace forward =
        autocast(loss_of_a_product(), Dtype::Float16, {.widens_logits = widens_logits});
    const Trace trace = differentiate(forward);
    std::int64_t bytes = 0;  // as large as the logits, while `op` runs
    for (std::size_t i = 0; i < trace.calls().size(); ++i) {
      if (trace.calls()[i].op->name != op) continue;
      for (const Asked& a : asked(trace)) {
        const bool is_there =
            a.request.first <= std::int32_t(i) && std::int32_t(i) <= a.request.last;
        if (is_there && (a.bytes == 800 || a.bytes == 1600)) bytes += a.bytes;
      }
    }
    return bytes;
  };
  // Log-probabilities, their gradient, and the logits' own.
  EXPECT_EQ(held(false), 1600 + 1600 + 800);
  EXPECT_EQ(held(true), 1600 + 1600 + 1600);
  // The loss is asked for with logits of 16 bits, which stay until it is there; the weight's cast
  // is as large as they are in float32.
  EXPECT_EQ(held(false, "cross_entropy"), 1600 + 800 + 800 + 1600);
}

/// Of requests of so many bytes that are made in the first call of `op`, how many last until
/// `until`.
std::ptrdiff_t kept(const Trace& trace, std::int64_t bytes, std::string_view op,
                    std::string_view until) {
  const auto place = [&](std::string_view name) {
    const auto& calls = trace.calls();
    const auto found = std::find_if(calls.begin(), calls.end(),
                                    [&](const OpCall& call) { return call.op->name == name; });
    return std::int32_t(found - calls.begin());
  };
  const auto found = asked(trace);
  return std::count_if(found.begin(), found.end(), [&](const Asked& a) {
    return a.bytes == bytes && !a.request.lasting && a.request.first == place(op) &&
           a.request.last >= place(until);
  });
}

TEST(EagerMemory, AnRmsNormKeepsNormalisedDataBesideItsResult) {
  Builder b("made", Dtype::Float32);
  const TensorId x = b.parameter("x", {5, 7}, kOnes);
  const TensorId weight = b.parameter("weight", {7}, kOnes);
  const TensorId y = b.call("rms_norm", {5, 7}, {x, weight}, {1e-5});
  const Trace trace = differentiate(std::move(b).finish(b.call("sum", {1, 35, 1}, {y})));
  EXPECT_EQ(kept(trace, 5 * 7 * 4, "rms_norm", "rms_norm_backward"), 1);
}

TEST(EagerMemory, AGateKeepsItsSilu) {
  Builder b("made", Dtype::Float32);
  const TensorId gate = b.parameter("gate", {35}, kOnes);
  const TensorId up = b.parameter("up", {35}, kOnes);
  const TensorId y = b.call("silu_gate", {35}, {gate, up});
  const Trace trace = differentiate(std::move(b).finish(b.call("sum", {1, 35, 1}, {y})));
  EXPECT_EQ(kept(trace, 35 * 4, "silu_gate", "silu_gate_backward"), 1);
}

// Of the keys' and the values' one head, (3, 1, 8), no copy for each of four heads of queries.
TEST(EagerMemory, AttentionOf16BitsReadsHeadsOfKeysThatAreNotRepeated) {
  const auto trace_of = [](Dtype dtype) {
    Builder b("made", dtype);
    const TensorId q = b.parameter("q", {3, 4, 8}, kOnes);
    const TensorId k = b.parameter("k", {3, 1, 8}, kOnes);
    const TensorId keys = b.call("broadcast", {3, 4, 8}, {k});
    const TensorId y = attention(b, q, keys, keys, 1, 4, 3, 3, 32, true);
    return differentiate(std::move(b).finish(b.call("sum", {1, 96, 1}, {y})));
  };
  EXPECT_EQ(kept(trace_of(Dtype::Float32), 96 * 4, "broadcast", "attention_backward"), 1);
  EXPECT_EQ(kept(trace_of(Dtype::BFloat16), 96 * 2, "broadcast", "attention_backward"), 0);
}

// Each result's place in the image: PyTorch's integers are of 64 bits.
TEST(EagerMemory, MaxPoolingKeepsPlacesOfEightBytes) {
  Builder b("made", Dtype::Float32);
  const TensorId x = b.parameter("x", {1, 4, 6, 3}, kOnes);
  const TensorId y = b.call("max_pool2d", {1, 4, 6, 3, 2}, {x}, {2.0, 0.0});
  const Trace trace = differentiate(std::move(b).finish(b.call("sum", {1, 18, 1}, {y})));
  EXPECT_EQ(kept(trace, 2 * 3 * 3 * 4, "max_pool2d", "max_pool2d_backward"), 2);
}

/// How many temporaries of the op's calls are held where the loss is computed.
std::ptrdiff_t held_across_the_loss(const Trace& trace, std::string_view op) {
  const auto& calls = trace.calls();
  const auto is_loss = [](const OpCall& c) { return c.op->name == "cross_entropy"; };
  const auto loss = std::int32_t(std::find_if(calls.begin(), calls.end(), is_loss) - calls.begin());
  const auto found = asked(trace);
  return std::count_if(found.begin(), found.end(), [&](const Asked& a) {
    const Request& r = a.request;
    return r.role == Role::Temporary && !r.lasting && r.first < loss && r.last > loss &&
           calls[std::size_t(r.first)].op->name == op;
  });
}

/// Casts of parameters that are made before the loss and held until it is there.
std::ptrdiff_t casts_across_the_loss(const Trace& trace) {
  const auto& calls = trace.calls();
  const auto loss =
      std::int32_t(std::find_if(calls.begin(), calls.end(),
                                [](const OpCall& c) { return c.op->name == "cross_entropy"; }) -
                   calls.begin());
  const std::vector<Asked> found = asked(trace);
  return std::count_if(found.begin(), found.end(), [&](const Asked& a) {
    const Request& r = a.request;
    if (r.lasting || r.first >= loss || r.last < loss) return false;
    const OpCall& maker = calls[std::size_t(r.first)];
    return maker.op->name == "cast_float16" && r.number == maker.outputs[0] &&
           trace.tensors()[std::size_t(trace.owner(maker.inputs[0]))].role == Role::Parameter;
  });
}

TEST(EagerMemory, WhatIsComputedAgainKeepsNothingFromTheForwardPass) {
  const Sizes sizes{{"batch", 2},  {"seq", 8},   {"context", 8},  {"vocab", 11}, {"layers", 3},
                    {"width", 16}, {"heads", 2}, {"kv_heads", 2}, {"hidden", 24}};
  const Trace step = differentiate(forward_trace(find_model("llama-1b"), sizes));
  EXPECT_EQ(held_across_the_loss(step, "rms_norm"), 7);
  EXPECT_EQ(held_across_the_loss(checkpoint(step), "rms_norm"), 1) << "of the last norm alone";
}

TEST(EagerMemory, AutocastHoldsCastsOfTrainedParametersToTheEndOfTheForwardPass) {
  TrainingConfig config{.workload = "gpt2-small",
                        .sizes = {{"batch", 2}, {"seq", 8}, {"layers", 3}},
                        .precision = Precision::AmpFp16,
                        .optimizer = OptimizerKind::None,
                        .checkpoint = true};
  // Of each block four weights and their biases; the logits' own are read later.
  EXPECT_GE(casts_across_the_loss(training_step(config)), 3 * 8);
  config.lora_rank = 2;  // frozen weights are in no cache
  EXPECT_LT(casts_across_the_loss(training_step(config)), 3 * 8);
}

TEST(EagerMemory, MasksOfWhatIsComputedAgainAreHeldFromThere) {
  TrainingConfig config{.workload = "gpt2-small",
                        .sizes = {{"batch", 2}, {"seq", 8}, {"layers", 3}},
                        .optimizer = OptimizerKind::None,
                        .dropout = 0.1};
  // Of the embeddings, and of each block's attention and network.
  EXPECT_EQ(held_across_the_loss(training_step(config), "dropout"), 1 + 2 * 3);
  config.checkpoint = true;
  // What comes behind a block's network isn't computed again: its gradient reads no data.
  EXPECT_EQ(held_across_the_loss(training_step(config), "dropout"), 1 + 3);
  config.lowering.saves_memory = false;  // as no framework does: its gradient reads the mask
  EXPECT_EQ(held_across_the_loss(training_step(config), "dropout"), 1);
}

/// product → add → relu → product: the kernel's result lies where the first product's was.
TEST(EagerMemory, ACompiledKernelWritesOverWhatItReadsLastAndKeepsNothingElse) {
  Builder b("made", Dtype::Float32);
  const TensorId x = b.input("x", {4, 4});
  const TensorId w = b.parameter("w", {4, 4}, kOnes);
  const TensorId made = b.call("matmul", {1, 4, 4, 4}, {x, w});
  const TensorId inner = b.call("add", {16}, {made, made});
  const TensorId y = b.call("relu", {16}, {inner});
  const Trace trace = std::move(b).finish(b.call("matmul", {1, 4, 4, 4}, {y, w}));
  const auto compiled = asked(join_kernels(trace));
  // x, w, the first product, which the kernel's result takes over, and the second.
  EXPECT_EQ(count(compiled, 64), 4);
  EXPECT_EQ(count(asked(trace), 64), 5);  // the sum besides, over which relu writes
}

TEST(EagerMemory, ACompiledLossKeepsNoLogProbabilities) {
  const auto logits = [](const Trace& trace) { return count(asked(trace), 1600); };
  const Trace trace =
      differentiate(autocast(loss_of_a_product(), Dtype::Float16, {.widens_logits = true}));
  EXPECT_LT(logits(join_kernels(recompute(trace, Recomputed::Casts))), logits(trace));
}

}  // namespace
}  // namespace siliconprof
