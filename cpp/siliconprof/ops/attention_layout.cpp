#include "siliconprof/ops/attention_layout.h"

#include "siliconprof/ops/op.h"

namespace siliconprof {

AttentionLayout attention_layout(const OpCall& call) {
  const auto [batch, heads, queries, keys, head_dim] = first<5>(call.dims);
  return {.batch = batch,
          .heads = heads,
          .queries = queries,
          .keys = keys,
          .head_dim = head_dim,
          .causal = is_set(call.attributes[0]),
          .row = heads * head_dim,
          .k_first = 0,
          .v_first = 0};
}

AttentionLayout attention_qkv_layout(const OpCall& call) {
  const auto [batch, tokens, heads, head_dim] = first<4>(call.dims);
  return {.batch = batch,
          .heads = heads,
          .queries = tokens,
          .keys = tokens,
          .head_dim = head_dim,
          .causal = is_set(call.attributes[0]),
          .row = 3 * heads * head_dim,
          .k_first = heads * head_dim,
          .v_first = 2 * heads * head_dim};
}

}  // namespace siliconprof
