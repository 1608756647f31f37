#pragma once

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/sizes.h"

namespace siliconprof {

/// BERT with the masked-language-model head: words, learned positions and segments, normed; blocks
/// of attention over the whole sequence and a gelu_erf MLP with layer norms behind; a transformed
/// head that shares the embedding; mean cross-entropy of every place of "tokens", "segments" and
/// "targets" (batch, seq). Sizes: batch, seq, context, vocab, layers, width, heads, hidden.
/// Source: J. Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers for Language
/// Understanding", arXiv 1810.04805; parameters as in Hugging Face's BertForMaskedLM.
Trace bert(const ForwardConfig& config);

}  // namespace siliconprof
