#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Appends what an attention or attention_qkv call on tensors of `trace` computes, with every
/// intermediate in memory: heads brought forward, scores, mask, softmax, values, heads brought
/// back. Returns y. A framework whose products take strided operands copies q, k and v once less.
TensorId materialise_attention(Trace& trace, const OpCall& call);

}  // namespace siliconprof
