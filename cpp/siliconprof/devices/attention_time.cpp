#include "siliconprof/devices/attention_time.h"

#include <algorithm>

namespace siliconprof {
namespace {

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

struct Walks {
  std::int64_t blocks = 0;
  std::int64_t tiles = 0;
  std::int64_t longest = 0;
};

/// Keys that the last query of the block sees.
std::int64_t tiles_of_queries(const AttentionLayout& a, std::int64_t tile, std::int64_t block) {
  const std::int64_t last = std::min((block + 1) * tile, a.queries) - 1;
  return ceiling(a.seen(last), tile);
}

/// Blocks of queries whose last one sees the first key of the block.
std::int64_t tiles_of_keys(const AttentionLayout& a, std::int64_t tile, std::int64_t block) {
  const std::int64_t blocks = ceiling(a.queries, tile);
  if (!a.causal) return blocks;
  const std::int64_t first_query = std::max<std::int64_t>(block * tile - (a.keys - a.queries), 0);
  return std::max<std::int64_t>(blocks - first_query / tile, 0);
}

Walks walks(const AttentionLayout& a, std::int64_t tile, bool backward) {
  Walks found;
  found.blocks = ceiling(backward ? a.keys : a.queries, tile);
  for (std::int64_t block = 0; block < found.blocks; ++block) {
    const std::int64_t tiles =
        backward ? tiles_of_keys(a, tile, block) : tiles_of_queries(a, tile, block);
    found.tiles += tiles;
    found.longest = std::max(found.longest, tiles);
  }
  return found;
}

}  // namespace

double attention_s(const AttentionLayout& a, bool backward, const AttentionUnit& unit) {
  const Walks walk = walks(a, unit.tile, backward);
  if (a.batch * a.heads * walk.tiles == 0) return 0.0;
  const double flops = (backward ? 10.0 : 4.0) * double(unit.tile * unit.tile * a.head_dim);
  const double tile_s = flops / (unit.core_flops_per_s * unit.reach);
  const double heads = double(a.batch * a.heads);
  const double share =
      heads * (double(walk.tiles) + double(walk.blocks) * unit.block_tiles) / double(unit.cores);
  const double longest = (double(walk.longest) + unit.block_tiles) * unit.alone;
  return unit.start_s + std::max(share, longest) * tile_s;
}

}  // namespace siliconprof
