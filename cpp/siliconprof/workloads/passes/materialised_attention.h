#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Appends what an attention or attention_qkv call on tensors of `trace` computes, with every
/// intermediate in memory: heads brought forward, scores, mask, softmax, values, heads brought
/// back. Returns y. It is the queries that are scaled: they are smaller than scores. `as_torch`:
/// queries and keys are scaled, each by the root, and softmax sets rows that are masked throughout
/// to 0: for what that moves there are copies of the scores, which nothing keeps, as softmax and
/// its check are one operation to autograd. A framework whose products take strided operands copies
/// q, k and v once less.
TensorId materialise_attention(Trace& trace, const OpCall& call, bool as_torch = false);

}  // namespace siliconprof
