#include "siliconprof/workloads/training_step.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/lowerings.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

TrainingConfig tiny_config() { return {.workload = "gpt2-small", .sizes = tiny_gpt2_sizes()}; }

std::string message(const TrainingConfig& config) {
  try {
    training_step(config);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TrainingStep, HasForwardBackwardAndOptimizerAndEndsInTheLoss) {
  const Trace trace = training_step(tiny_config());
  std::array<int, kPhaseCount> calls{};
  for (const OpCall& call : trace.calls()) ++calls[std::size_t(call.phase)];
  EXPECT_GT(calls[0], 0);
  EXPECT_GT(calls[1], 0);
  EXPECT_EQ(calls[2], 28);
  EXPECT_EQ(calls[3], 0);
  EXPECT_EQ(trace.results().size(), 1U);
}

TEST(TrainingStep, WithoutAnOptimizerTheGradientsAreResults) {
  TrainingConfig config = tiny_config();
  config.optimizer = OptimizerKind::None;
  EXPECT_EQ(training_step(config).results().size(), 29U);
}

// What it costs may differ, what it computes may not.
TEST(TrainingStep, CheckpointAndOffloadChangeNoParameter) {
  TrainingConfig config = tiny_config();
  config.clip_norm = 1.0;
  const NamedValues plain = TracedValues(training_step(config)).parameters();
  config.checkpoint = true;
  EXPECT_EQ(TracedValues(training_step(config)).parameters(), plain);
  config.offload = OffloadMode::Overlapped;
  EXPECT_EQ(TracedValues(training_step(config)).parameters(), plain);
}

TEST(TrainingStep, EveryPrecisionRunsAndComesNear) {
  TrainingConfig config = tiny_config();
  const double full = TracedValues(training_step(config)).loss();
  for (const Precision precision : {Precision::Fp64, Precision::AmpFp16, Precision::AmpBf16}) {
    config.precision = precision;
    EXPECT_NEAR(TracedValues(training_step(config)).loss(), full, 0.01);
  }
  config.precision = Precision::Tf32;
  EXPECT_EQ(training_step(config).calls().size(), training_step(tiny_config()).calls().size());
}

/// Whether a model is published with dropout.
bool drops(const CatalogueEntry& model) {
  return !model.id.starts_with("llama") && model.id.find("resnet") == std::string_view::npos;
}

TEST(TrainingStep, EveryModelTakesEveryPassTogether) {
  for (const CatalogueEntry& model : models()) {
    TrainingConfig config{.workload = std::string(model.id)};
    config.precision = Precision::AmpFp16;
    if (!model.lora_targets.empty()) config.lora_rank = 4;
    config.offload = OffloadMode::Overlapped;
    config.checkpoint = true;
    config.clip_norm = 1.0;
    config.accumulate = 2;
    config.dropout = drops(model) ? 0.1 : 0.0;
    config.optimizer = OptimizerKind::Sgd;
    config.lowering = {.fused_attention = false, .bias_activation = BiasActivation::Apart};
    const Trace trace = training_step(config);
    EXPECT_GT(trace.calls().size(), 0U) << model.id;
    EXPECT_GT(trace.memory().peak_bytes(), 0) << model.id;
  }
}

TEST(TrainingStep, WhisperCopiesWhatAttentionReadsAndMakesIn16BitsOfPyTorch) {
  TrainingConfig config{.workload = "whisper-tiny",
                        .sizes = {{"frames", 4}, {"layers", 1}, {"context", 4}, {"label_len", 2}},
                        .lowering = find_lowering("torch-cuda")};
  const auto copies = [&] { return count_op(training_step(config), "transpose"); };
  EXPECT_EQ(copies(), 0);
  config.precision = Precision::AmpFp16;
  EXPECT_EQ(copies(), 2 * 4 * 3);  // of three attentions, forward and backward
  config.workload = "bert-base";
  config.sizes = {{"layers", 1}};
  EXPECT_EQ(copies(), 0);
}

TEST(TrainingStep, LlamasSharedKeysAreFusedUnderPyTorchIn16BitsAlone) {
  TrainingConfig config{.workload = "llama-1b",
                        .sizes = {{"layers", 1}, {"seq", 4}},
                        .lowering = find_lowering("torch-cuda")};
  const auto fused = [&] { return count_op(training_step(config), "attention"); };
  EXPECT_EQ(fused(), 0);
  config.precision = Precision::Tf32;
  EXPECT_EQ(fused(), 0);
  config.precision = Precision::AmpBf16;
  EXPECT_EQ(fused(), 1);
}

TEST(TrainingStep, SaysItsWorkWhicheverKernelsAndFormatItHas) {
  TrainingConfig config{.workload = "llama-1b", .sizes = {{"layers", 1}, {"seq", 4}}};
  const std::string work = training_step(config).work();
  EXPECT_TRUE(work.starts_with("llama-1b batch="));
  EXPECT_NE(work.find(" layers=1 "), std::string::npos);
  EXPECT_TRUE(work.ends_with(" optimizer=adamw"));
  config.lowering = find_lowering("torch-cuda");
  config.precision = Precision::AmpBf16;
  EXPECT_EQ(training_step(config).work(), work);
  config.accumulate = 2;
  EXPECT_NE(training_step(config).work().find(" accumulate=2 "), std::string::npos);
  config.sizes["seq"] = 8;
  EXPECT_NE(training_step(config).work().find(" seq=8 "), std::string::npos);
}

TEST(TrainingStep, NamesWhatCannotBeAndWhatWouldFit) {
  TrainingConfig config = tiny_config();
  config.dropout = 1.0;
  EXPECT_EQ(message(config), "[gpt2-small] dropout is 1; needed: at least 0, below 1");
  config = tiny_config();
  config.offload = OffloadMode::Overlapped;
  config.optimizer = OptimizerKind::None;
  EXPECT_NE(message(config).find("needed: adamw or sgd"), std::string::npos);
  config = tiny_config();
  config.lora_rank = 7;
  EXPECT_NE(message(config).find("rank is 7; needed: 1 to 6"), std::string::npos);
  config = {.workload = "resnet18"};
  config.lora_rank = 2;
  EXPECT_NE(message(config).find("has no product with a matrix to adapt"), std::string::npos);
  config = {.workload = "resnet18"};
  config.dropout = 0.5;
  EXPECT_EQ(message(config),
            "[resnet18] dropout is 0.5, and this model has none; needed: 0, or a model that drops "
            "elements");
  config = tiny_config();
  config.learning_rate = 0.1;
  config.optimizer = OptimizerKind::None;
  EXPECT_NE(message(config).find("learning rate is given"), std::string::npos);
  EXPECT_THROW(parse_precision("fp16"), UnknownNameError);
  EXPECT_THROW(parse_optimizer("adam"), UnknownNameError);
  EXPECT_EQ(parse_precision("amp-bf16"), Precision::AmpBf16);
  EXPECT_EQ(parse_optimizer("sgd"), OptimizerKind::Sgd);
  EXPECT_EQ(precision_names().size(), 5U);
  EXPECT_EQ(optimizer_names().size(), 3U);
}

TEST(TrainingStep, DropoutAndClippingAreOtherWorkButNotHowMuchOfThem) {
  const TrainingConfig plain{.workload = "gpt2-small", .sizes = tiny_gpt2_sizes()};
  TrainingConfig dropped = plain;
  TrainingConfig clipped = plain;
  dropped.dropout = 0.1;
  clipped.clip_norm = 1.0;
  const std::string work = training_step(dropped).work();
  EXPECT_NE(work, training_step(plain).work());
  EXPECT_NE(training_step(clipped).work(), training_step(plain).work());
  dropped.dropout = 0.2;
  EXPECT_EQ(training_step(dropped).work(), work);
}

}  // namespace
}  // namespace siliconprof
