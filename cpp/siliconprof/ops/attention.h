#pragma once

// Attention of heads: y = softmax(q·kᵀ/√head_dim)·v. With causal, a query sees the keys up to its
// own place when the last query and the last key are the same token: key ≤ query + keys - queries.
// Where a query sees no key, y is 0 and lse is -inf. No matrix of scores is an operand: the
// gradient forms the probabilities again from lse, the logarithm of each row's sum of exponentials.
//   attention               q (batch, queries, heads, head_dim), k, v (batch, keys, heads,
//   head_dim)
//                           → y as q, lse (batch, heads, queries)
//   attention_backward      q, k, v, y, lse, dy → dq, dk, dv
//   attention_qkv           qkv (batch, tokens, 3, heads, head_dim) → y (batch, tokens, heads,
//                           head_dim), lse (batch, heads, tokens); causal unless told otherwise
//   attention_qkv_backward  qkv, y, lse, dy → dqkv
// Errors: what any op refuses (op.h), head_dim 0 (ShapeError).
// Source: [vaswani2017]; lse in place of the probabilities, [dao2022].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kAttention;
extern const Op kAttentionBackward;
extern const Op kAttentionQkv;
extern const Op kAttentionQkvBackward;

}  // namespace siliconprof
