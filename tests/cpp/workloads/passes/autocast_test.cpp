#include "siliconprof/workloads/passes/autocast.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/table.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

std::vector<std::string> typed_sequence(const Trace& trace) {
  std::vector<std::string> calls;
  for (const OpCall& call : trace.calls()) {
    calls.push_back(std::string(call.op->name) + " " + std::string(name(call.dtype)));
  }
  return calls;
}

TEST(Autocast, PutsProductsLowAndTheLossInFull) {
  const std::vector<std::string> wanted{
      "cast_float16 float32", "cast_float16 float32",  // x, fc1.weight
      "cast_float16 float32", "linear float16",        // fc1.bias
      "relu float16",                                  // follows
      "cast_float16 float32", "cast_float16 float32", "linear float16",
      "cast_float32 float16", "cross_entropy float32"};
  EXPECT_EQ(typed_sequence(autocast(tiny_mlp(Dtype::Float32), Dtype::Float16)), wanted);
}

TEST(Autocast, TheLossesKernelWidensTheLogitsUnlessTheModelDoes) {
  const auto joins = [](bool widens_logits) {
    const Trace trace =
        autocast(tiny_mlp(Dtype::Float32), Dtype::Float16, {.widens_logits = widens_logits});
    const OpCall& cast = trace.calls().end()[-2];
    EXPECT_EQ(cast.op->name, "cast_float32");
    return cast.joins_launch;
  };
  EXPECT_TRUE(joins(false));
  EXPECT_FALSE(joins(true));
}

TEST(Autocast, ALossOfLowLogitsIsNarrowAndSoIsItsGradient) {
  for (const bool widens_logits : {false, true}) {
    const Trace trace = differentiate(
        autocast(tiny_mlp(Dtype::Float32), Dtype::Float16, {.widens_logits = widens_logits}));
    int losses = 0;
    for (const OpCall& call : trace.calls()) {
      const bool of_a_loss = call.op->name.starts_with("cross_entropy");
      EXPECT_EQ(call.narrow, of_a_loss && !widens_logits) << call.op->name;
      losses += of_a_loss ? 1 : 0;
    }
    EXPECT_EQ(losses, 2);
  }
}

TEST(Autocast, AnAttentionBlockNormsInFullAndAttendsLow) {
  const Trace trace = autocast(tiny_gpt2(Dtype::Float32), Dtype::BFloat16);
  for (const OpCall& call : trace.calls()) {
    const std::string_view op = call.op->name;
    const bool low = op == "linear" || op == "matmul" || op == "attention_qkv" ||
                     op == "gelu_tanh" || op == "cast_float32";
    EXPECT_EQ(call.dtype, low ? Dtype::BFloat16 : Dtype::Float32) << op;
  }
}

TEST(Autocast, ASumThatReadsAnotherFormatKeepsItsCastInside) {
  const auto moved = [](bool reads_mixed) {
    const Trace trace =
        autocast(tiny_gpt2(Dtype::Float32), Dtype::BFloat16, {.reads_mixed = reads_mixed});
    const auto is_sum = [](const OpCall& call) { return call.op->name == "add"; };
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i + 1 < trace.calls().size(); ++i) {
      // What a residual reads of 2 x 3 tokens of 6 channels: half of it in 16 bits.
      const OpCall& call = trace.calls()[i];
      const bool of_a_sum = is_sum(call) || is_sum(trace.calls()[i + 1]);
      EXPECT_EQ(call.inside != 0, reads_mixed && of_a_sum) << call.op->name;
      if (of_a_sum) bytes += cost_of(call).bytes();
    }
    return bytes;
  };
  constexpr std::int64_t kNumbers = 2 * 3 * 6, kSums = 4;
  EXPECT_EQ(moved(false), kSums * kNumbers * ((2 + 4) + (4 + 4 + 4)));
  EXPECT_EQ(moved(true), kSums * kNumbers * (2 + (4 + 4)));
}

TEST(Autocast, PositionsPromoteWhereAConvolutionsBiasIsItsOwn) {
  Builder b("t", Dtype::Float32);
  const TensorId weight = b.parameter("w", {4, 3, 4}, {});
  const TensorId bias = b.parameter("b", {4}, {});
  const TensorId places = b.parameter("places", {8, 4}, {});
  TensorId x = b.input("x", {1, 8, 4});
  x = b.call("conv1d", {1, 8, 4, 4, 3}, {x, weight}, {1.0, 1.0});
  x = b.call("bias", {8, 4}, {x, bias});
  x = b.call("bias", {1, 32}, {x, places});
  const Trace trace = autocast(std::move(b).finish(x), Dtype::Float16);
  const std::vector<std::string> wanted{
      "cast_float16 float32", "cast_float16 float32", "conv1d float16", "cast_float16 float32",
      "bias float16",         "cast_float32 float16", "bias float32"};
  EXPECT_EQ(typed_sequence(trace), wanted);
  EXPECT_TRUE(trace.calls()[5].joins_launch);
}

TEST(Autocast, ABatchNormReadsItsWeightsInFloat32) {
  Builder b("t", Dtype::Float32);
  const TensorId weight = b.parameter("w", {4, 4}, {});
  const TensorId scale = b.parameter("scale", {4}, {});
  const TensorId shift = b.parameter("shift", {4}, {});
  TensorId x = b.input("x", {8, 4});
  x = b.call("matmul", {1, 8, 4, 4}, {x, weight});
  x = b.call("batch_norm", {8, 4, 1}, {x, scale, shift});
  const Trace trace = autocast(std::move(b).finish(x), Dtype::Float16);
  int joined = 0;
  for (const OpCall& call : trace.calls()) joined += call.joins_launch ? 1 : 0;
  EXPECT_EQ(count_op(trace, "cast_float16"), 4);
  EXPECT_EQ(joined, 2) << "the weights of the norm alone";
  joined = 0;
  const Trace step = differentiate(trace);
  for (const OpCall& call : step.calls()) joined += call.joins_launch ? 1 : 0;
  EXPECT_EQ(joined, 4) << "and their gradients";
}

TEST(Autocast, CastsAWeightOnceHoweverOftenItIsUsed) {
  Builder b("t", Dtype::Float32);
  const TensorId w = b.parameter("w", {4, 4}, {});
  TensorId x = b.input("x", {4, 4});
  for (int i = 0; i < 3; ++i) x = b.call("matmul", {1, 4, 4, 4}, {x, w});
  const Trace trace = autocast(std::move(b).finish(x), Dtype::Float16);
  EXPECT_EQ(count_op(trace, "cast_float16"), 2) << "x once, w once";
}

TEST(Autocast, GradientsComeOutInFloat32NearTheFullOnes) {
  const Trace full = differentiate(tiny_mlp(Dtype::Float32));
  const Trace mixed = differentiate(autocast(tiny_mlp(Dtype::Float32), Dtype::Float16));
  const NamedValues wanted = TracedValues(full).gradients();
  for (const auto& [parameter, gradient] : mixed.gradients()) {
    EXPECT_EQ(mixed.tensors()[std::size_t(gradient)].dtype, Dtype::Float32);
  }
  const NamedValues found = TracedValues(mixed).gradients();
  ASSERT_EQ(found.size(), wanted.size());
  for (const auto& [name, values] : wanted) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(found.at(name)[i], values[i], 0.01) << name;
    }
  }
}

TEST(Autocast, EveryModelCanBeCastAndDifferentiated) {
  for (const CatalogueEntry& model : models()) {
    const Trace trace = differentiate(autocast(forward_trace(model, {}), Dtype::BFloat16));
    const Trace plain = differentiate(forward_trace(model, {}));
    EXPECT_EQ(trace.gradients().size(), plain.gradients().size()) << model.id;
  }
}

TEST(Autocast, RefusesAWideFormat) {
  EXPECT_THROW(autocast(tiny_mlp(Dtype::Float32), Dtype::Float32), DtypeError);
}

TEST(Autocast, PoliciesAreThoseOfTorch) {
  EXPECT_EQ(cast_policy(find_op("conv2d")), CastPolicy::Low);
  EXPECT_EQ(cast_policy(find_op("softmax")), CastPolicy::Full);
  EXPECT_EQ(cast_policy(find_op("add")), CastPolicy::Widest);
  EXPECT_EQ(cast_policy(find_op("relu")), CastPolicy::Follow);
}

}  // namespace
}  // namespace siliconprof
