#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Appends what an attention or attention_qkv call on tensors of `trace` computes, with every
/// intermediate in memory: heads brought forward, scores, mask, softmax, values, heads brought
/// back. Returns y. It is the queries that are scaled: they are smaller than scores. `as_torch`:
/// queries and keys are scaled, each by the root, and a pass behind softmax, here a copy, sets rows
/// that are masked throughout to 0; its result is kept besides softmax's. (Its look for such rows,
/// which reads the scores once more, isn't there.) A framework whose products take strided operands
/// copies q, k and v once less.
TensorId materialise_attention(Trace& trace, const OpCall& call, bool as_torch = false);

}  // namespace siliconprof
