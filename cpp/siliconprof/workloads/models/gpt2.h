#pragma once

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/sizes.h"

namespace siliconprof {

/// GPT-2: tokens and learned positions, `layers` blocks of causal attention and a gelu_tanh MLP
/// with layer norms in front, the embedding as head, mean cross-entropy of inputs "tokens" and
/// "targets" (batch, seq). Sizes: batch, seq, context, vocab, layers, width, heads. Parameters bear
/// the names of Hugging Face's model; its matrices are stored (out, in) here. Source: A. Radford et
/// al., "Language Models are Unsupervised Multitask Learners", 2019.
Trace gpt2(const ForwardConfig& config);

}  // namespace siliconprof
