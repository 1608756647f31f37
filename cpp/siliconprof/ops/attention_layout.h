#pragma once

// Who attends to whom, and where heads lie in memory: what the ops of attention.h share, whichever
// tensors they take.

#include <algorithm>
#include <cstdint>

#include "siliconprof/ops/call.h"

namespace siliconprof {

/// Sizes and strides, all counted in elements.
struct AttentionLayout {
  std::int64_t batch;
  std::int64_t heads;
  std::int64_t queries;
  std::int64_t keys;
  std::int64_t head_dim;
  bool causal;
  std::int64_t row;      // from one token to the next in q, k and v
  std::int64_t k_first;  // where k and v begin in the tensors that hold them
  std::int64_t v_first;

  /// Keys that a query sees, the first ones; 0 for one that comes before all keys.
  std::int64_t seen(std::int64_t query) const {
    return causal ? std::clamp<std::int64_t>(query + keys - queries + 1, 0, keys) : keys;
  }
  /// Queries before this one see no key.
  std::int64_t first_seeing() const {
    if (keys == 0) return queries;
    return causal ? std::clamp<std::int64_t>(queries - keys, 0, queries) : 0;
  }
  /// Pairs of a query and a key that it sees, of one head.
  std::int64_t pairs() const {
    const std::int64_t rows = queries - first_seeing();
    return causal ? rows * keys - rows * (rows - 1) / 2 : rows * keys;
  }
  /// Where a head begins in its row in q, y, and, past k_first and v_first, in k and v.
  std::int64_t head(std::int64_t h) const { return h * head_dim; }
  /// From one token to the next in y.
  std::int64_t y_row() const { return heads * head_dim; }
};

/// Of attention and attention_backward.
AttentionLayout attention_layout(const OpCall& call);
/// Of attention_qkv and attention_qkv_backward.
AttentionLayout attention_qkv_layout(const OpCall& call);

}  // namespace siliconprof
