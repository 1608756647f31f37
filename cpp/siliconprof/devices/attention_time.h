#pragma once

// How long a fused attention takes: its blocks of queries (backward: of keys) spread over the
// cores, each walking along the other axis tile by tile; no faster than the longest walk. Walks of
// one length come in whole waves; of others the last ones that begin leave cores with nothing to
// do.

#include <cstdint>

#include "siliconprof/ops/attention_layout.h"

namespace siliconprof {

struct AttentionUnit {
  double core_flops_per_s = 0.0;
  int cores = 1;
  /// Queries and keys of a tile.
  std::int64_t tile = 64;
  double start_s = 0.0;
  /// Part of the core's peak that a walk with others beside it reaches.
  double reach = 1.0;
  /// Tiles that beginning and ending a block are worth.
  double block_tiles = 0.0;
  /// A walk that has its core alone takes so many times its share.
  double alone = 1.0;
  /// Of the longest walk, what the last cores take on top of their share where walks differ.
  double tail = 0.0;
  /// Tiles of keys that a block of gradients has.
  std::int64_t key_tiles = 1;
  /// Tiles that adding up the queries' gradients is worth to each of several blocks of keys where
  /// nothing is masked.
  double split_tiles = 0.0;
  /// Bytes that kernels before and behind the walks move for each number of the queries: a gradient
  /// that is added up in float32 is cleared before and converted afterwards.
  double beside_bytes = 0.0;
};

/// Seconds; 4·tile²·head_dim flops a tile forward, 10 backward.
double attention_s(const AttentionLayout& layout, bool backward, const AttentionUnit& unit);
/// What the kernels beside those walks move.
double bytes_beside(const AttentionLayout& layout, const AttentionUnit& unit);

}  // namespace siliconprof
