#pragma once

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/sizes.h"

namespace siliconprof {

/// The decoder-only language model of the MLX examples: embedding, sinusoidal positions (computed,
/// so no parameter), blocks of causal attention without biases and a relu MLP with layer norms in
/// front, a last norm, a head of its own, mean cross-entropy of "tokens" and "targets" (batch,
/// seq). Sizes: batch, seq, context, vocab, layers, width, heads. Source:
/// github.com/ml-explore/mlx-examples, transformer_lm/main.py at 7ddca42.
Trace transformer_lm(const ForwardConfig& config);

}  // namespace siliconprof
