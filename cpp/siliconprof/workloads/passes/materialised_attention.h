#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Appends what an attention or attention_qkv call on tensors of `trace` computes, with every
/// intermediate in memory: heads brought forward, scores, mask, softmax, values, heads brought
/// back. Returns y. It is the queries that are scaled, as PyTorch and MLX do (PyTorch the keys too):
/// they are smaller than scores. With `checked_softmax` a pass behind softmax, here a copy, sets
/// rows that are masked throughout to 0; it keeps its result besides softmax's. A framework whose
/// products take strided operands copies q, k and v once less.
TensorId materialise_attention(Trace& trace, const OpCall& call, bool checked_softmax = false);

}  // namespace siliconprof
