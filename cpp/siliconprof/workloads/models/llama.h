#pragma once

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/sizes.h"

namespace siliconprof {

/// A LLaMA-style model: blocks with rms norms in front, causal attention with rotary positions
/// whose `kv_heads` keys and values serve heads/kv_heads queries each, and a silu-gated MLP; no
/// biases; a head of its own, or with `tied` 1 the embedding; mean cross-entropy of "tokens" and
/// "targets" (batch, seq). Sizes: batch, seq, context, vocab, layers, width, heads, kv_heads,
/// hidden, rotary_base, tied. Source: H. Touvron et al., "LLaMA: Open and Efficient Foundation
/// Language Models", arXiv 2302.13971; parameters as in Hugging Face's LlamaForCausalLM.
Trace llama(const ForwardConfig& config);

}  // namespace siliconprof
