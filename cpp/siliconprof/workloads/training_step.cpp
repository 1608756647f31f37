#include "siliconprof/workloads/training_step.h"

#include <algorithm>
#include <array>
#include <utility>

#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"
#include "siliconprof/workloads/passes/accumulate.h"
#include "siliconprof/workloads/passes/adamw.h"
#include "siliconprof/workloads/passes/add_embeddings.h"
#include "siliconprof/workloads/passes/autocast.h"
#include "siliconprof/workloads/passes/checkpoint.h"
#include "siliconprof/workloads/passes/clip.h"
#include "siliconprof/workloads/passes/differentiate.h"
#include "siliconprof/workloads/passes/in_place.h"
#include "siliconprof/workloads/passes/join_kernels.h"
#include "siliconprof/workloads/passes/keep_outputs.h"
#include "siliconprof/workloads/passes/lie_across.h"
#include "siliconprof/workloads/passes/lora.h"
#include "siliconprof/workloads/passes/loss_scaling.h"
#include "siliconprof/workloads/passes/recompute.h"
#include "siliconprof/workloads/passes/sgd.h"
#include "siliconprof/workloads/passes/tf32.h"
#include "siliconprof/workloads/passes/update_early.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 5> kPrecisions{"fp64", "fp32", "tf32", "amp-fp16",
                                                      "amp-bf16"};
constexpr std::array<std::string_view, 3> kOptimizers{"none", "adamw", "sgd"};

template <class Kind, std::size_t N>
Kind parse(std::string_view what, const std::array<std::string_view, N>& names,
           std::string_view text) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Kind>(i);
  }
  throw_unknown_name("workload", what, text, names);
}

bool scales_loss(const TrainingConfig& config) { return config.precision == Precision::AmpFp16; }

bool calls_op(const Trace& trace, std::string_view name) {
  return std::any_of(trace.calls().begin(), trace.calls().end(),
                     [&](const OpCall& call) { return call.op->name == name; });
}

bool is_low(Precision precision) {
  return precision == Precision::AmpFp16 || precision == Precision::AmpBf16;
}

[[noreturn]] void refuse(const TrainingConfig& config, const std::string& what) {
  throw ArgumentError("[" + config.workload + "] " + what);
}

void check(const TrainingConfig& config) {
  if (!(config.dropout >= 0.0 && config.dropout < 1.0)) {
    refuse(config, "dropout is " + number_text(config.dropout) + "; needed: at least 0, below 1");
  }
  if (config.learning_rate && config.optimizer == OptimizerKind::None) {
    refuse(config, "a learning rate is given, and there is no optimizer; needed: adamw or sgd");
  }
  if (config.offload != OffloadMode::None && config.optimizer == OptimizerKind::None) {
    refuse(config,
           "offload moves the optimizer to the host, and there is none; needed: adamw or sgd");
  }
  if (config.offload == OffloadMode::Delayed && scales_loss(config)) {
    refuse(config,
           "a delayed update reads gradients of the step before, whose loss had another scale; "
           "needed: a precision other than amp-fp16, or offload overlapped");
  }
}

Trace forward(const TrainingConfig& config, const CatalogueEntry& model) {
  const Dtype dtype = config.precision == Precision::Fp64 ? Dtype::Float64 : Dtype::Float32;
  Trace trace = forward_trace(model, config.sizes, dtype, config.dropout);
  if (config.dropout > 0.0 && !calls_op(trace, "dropout")) {
    refuse(config, "dropout is " + number_text(config.dropout) +
                       ", and this model has none; needed: 0, or a model that drops elements");
  }
  if (config.lora_rank) {
    const LoraOptions options{*config.lora_rank, 2.0 * double(*config.lora_rank)};
    trace = lora(trace, options, model.lora_targets);
  }
  Lowering lowering = config.lowering;
  lowering.copied_heads = lowering.copied_heads && model.copies_heads && is_low(config.precision);
  lowering.fused_groups = lowering.fused_groups || is_low(config.precision);
  if (lowering != Lowering{}) trace = lower(trace, lowering);
  if (!is_low(config.precision)) return trace;
  const bool is_half = config.precision == Precision::AmpFp16;
  return autocast(trace, is_half ? Dtype::Float16 : Dtype::BFloat16,
                  {.widens_logits = model.widens_logits, .reads_mixed = lowering.reads_mixed});
}

Trace backward(const TrainingConfig& config, Trace trace) {
  TensorId cotangent = kNoTensor;
  if (scales_loss(config)) {
    trace = with_loss_scale(trace);
    cotangent = find_tensor(trace, "loss_scale");
  }
  const double factor = 1.0 / double(std::max(config.accumulate, 1));
  trace = differentiate(trace, trace.results()[0], cotangent, factor);
  // Who saves memory draws dropout's numbers again.
  if (config.checkpoint) trace = checkpoint(trace, !config.lowering.saves_memory);
  return accumulate(trace, config.accumulate);
}

Trace optimizer(const TrainingConfig& config, Trace trace) {
  const bool fused = config.lowering.fused_optimizer;
  if (scales_loss(config)) trace = unscale(trace, fused);
  if (config.clip_norm) {
    trace = clip(trace, *config.clip_norm, config.lowering.fused_norms, fused);
  }
  if (config.optimizer == OptimizerKind::Adamw) {
    AdamwOptions options{.fused = fused};
    options.learning_rate = config.learning_rate.value_or(options.learning_rate);
    trace = adamw(trace, options);
  }
  if (config.optimizer == OptimizerKind::Sgd) {
    SgdOptions options{.fused = fused};
    options.learning_rate = config.learning_rate.value_or(options.learning_rate);
    trace = sgd(trace, options);
  }
  return scales_loss(config) ? update_loss_scale(trace) : trace;
}

/// An overflow of any gradient keeps all updates from running, and offloaded ones wait for their
/// transfers: both want the updates last.
Trace save_memory(const TrainingConfig& config, Trace trace) {
  if (config.lowering.joins_kernels) {
    return join_kernels(recompute(keep_outputs(trace), Recomputed::Casts));
  }
  if (!config.lowering.saves_memory) return trace;
  trace = recompute(keep_outputs(add_embeddings(trace)));
  const bool updates_last = scales_loss(config) || config.offload != OffloadMode::None;
  return updates_last || config.optimizer == OptimizerKind::None ? trace : update_early(trace);
}

/// What is trained and by how much. How it is computed, in which format and from which memory, is
/// no part of it: that is what profiles are compared for.
std::string work_of(const TrainingConfig& config, const CatalogueEntry& model) {
  std::string work(model.id);
  for (const auto& [name, own] : model.sizes) {
    const auto asked = config.sizes.find(name);
    work += " " + std::string(name) + "=" +
            std::to_string(asked == config.sizes.end() ? own : asked->second);
  }
  if (config.lora_rank) work += " lora=" + std::to_string(*config.lora_rank);
  if (config.accumulate > 1) work += " accumulate=" + std::to_string(config.accumulate);
  // Not how likely or how far: those change no time.
  if (config.dropout > 0.0) work += " dropout";
  if (config.clip_norm) work += " clip";
  return work +
         " optimizer=" + std::string(kOptimizers[static_cast<std::size_t>(config.optimizer)]);
}

}  // namespace

std::span<const std::string_view> precision_names() { return kPrecisions; }
Precision parse_precision(std::string_view text) {
  return parse<Precision>("precision", kPrecisions, text);
}
std::span<const std::string_view> optimizer_names() { return kOptimizers; }
OptimizerKind parse_optimizer(std::string_view text) {
  return parse<OptimizerKind>("optimizer", kOptimizers, text);
}

Trace training_step(const TrainingConfig& config) {
  const CatalogueEntry& model = find_model(config.workload);
  check(config);
  Trace trace = optimizer(config, backward(config, forward(config, model)));
  trace = save_memory(config, std::move(trace));
  trace = offload(trace, config.offload);
  if (config.lowering.in_place) trace = in_place(trace);
  if (config.precision == Precision::Tf32) trace = tf32(trace);
  if (config.lowering.keeps_layout) trace = lie_across(trace);
  trace.set_work(work_of(config, model));
  return trace;
}

}  // namespace siliconprof
