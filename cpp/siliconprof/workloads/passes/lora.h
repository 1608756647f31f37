#pragma once

#include <span>
#include <string_view>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

struct LoraOptions {
  std::int64_t rank = 8;
  double alpha = 16.0;  // the adapter's output is scaled by alpha/rank
};

/// A forward trace whose parameters are frozen, with a trained adapter beside each product with a
/// weight (out, in) whose name contains one of `targets`: y + alpha/rank·(x·Aᵀ)·Bᵀ, A (rank, in)
/// random, B (out, rank) zero, as Hugging Face's PEFT adds them; without dropout. Throws
/// ArgumentError for a rank below 1 or above a target's smaller side, and where nothing matches.
/// Source: E. Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", arXiv 2106.09685.
Trace lora(const Trace& forward, const LoraOptions& options,
           std::span<const std::string_view> targets);

}  // namespace siliconprof
