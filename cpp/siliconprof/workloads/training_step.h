#pragma once

// One whole training step as a trace: forward, backward and optimizer, after all passes asked for.

#include <optional>
#include <string>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/catalogue.h"
#include "siliconprof/workloads/passes/lower.h"
#include "siliconprof/workloads/passes/offload.h"

namespace siliconprof {

enum class Precision : std::uint8_t { Fp64, Fp32, Tf32, AmpFp16, AmpBf16 };
/// "fp64", "fp32", "tf32", "amp-fp16", "amp-bf16".
std::span<const std::string_view> precision_names();
Precision parse_precision(std::string_view text);

enum class OptimizerKind : std::uint8_t { None, Adamw, Sgd };
/// "none", "adamw", "sgd".
std::span<const std::string_view> optimizer_names();
OptimizerKind parse_optimizer(std::string_view text);

struct TrainingConfig {
  std::string workload;
  Sizes sizes = {};  // batch, seq, ... in place of the model's own
  Precision precision = Precision::Fp32;
  OptimizerKind optimizer = OptimizerKind::Adamw;  // none: up to the gradients, which are results
  std::optional<std::int64_t> lora_rank = std::nullopt;
  OffloadMode offload = OffloadMode::None;
  bool checkpoint = false;
  std::optional<double> clip_norm = std::nullopt;
  int accumulate = 1;  // micro-batches of `batch` each
  double dropout = 0.0;
  std::optional<double> learning_rate = std::nullopt;
  Lowering lowering = {};
};

/// The step's first result is the loss. Throws UnknownNameError, ArgumentError naming the argument,
/// the value found and what would fit.
Trace training_step(const TrainingConfig& config);

}  // namespace siliconprof
