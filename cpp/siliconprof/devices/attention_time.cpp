#include "siliconprof/devices/attention_time.h"

#include <algorithm>

#include "siliconprof/core/rounding.h"

namespace siliconprof {
namespace {

struct Walks {
  std::int64_t blocks = 0;
  std::int64_t tiles = 0;
  std::int64_t longest = 0;
};

/// Keys that the last query of the block sees.
std::int64_t tiles_of_queries(const AttentionLayout& a, std::int64_t tile, std::int64_t block) {
  const std::int64_t last = std::min((block + 1) * tile, a.queries) - 1;
  return divided_up(a.seen(last), tile);
}

/// Tiles of queries whose last one sees the first key of the tile.
std::int64_t tiles_of_keys(const AttentionLayout& a, std::int64_t tile, std::int64_t keys) {
  const std::int64_t all = divided_up(a.queries, tile);
  if (!a.causal) return all;
  const std::int64_t first_query = std::max<std::int64_t>(keys * tile - (a.keys - a.queries), 0);
  return std::max<std::int64_t>(all - first_query / tile, 0);
}

Walks walks_of_queries(const AttentionLayout& a, const AttentionUnit& unit) {
  Walks found;
  found.blocks = divided_up(a.queries, unit.tile);
  for (std::int64_t block = 0; block < found.blocks; ++block) {
    const std::int64_t tiles = tiles_of_queries(a, unit.tile, block);
    found.tiles += tiles;
    found.longest = std::max(found.longest, tiles);
  }
  return found;
}

Walks walks_of_keys(const AttentionLayout& a, const AttentionUnit& unit) {
  Walks found;
  const std::int64_t all = divided_up(a.keys, unit.tile);
  found.blocks = divided_up(all, unit.key_tiles);
  for (std::int64_t first = 0; first < all; first += unit.key_tiles) {
    std::int64_t tiles = 0;
    for (std::int64_t keys = first; keys < std::min(first + unit.key_tiles, all); ++keys) {
      tiles += tiles_of_keys(a, unit.tile, keys);
    }
    found.tiles += tiles;
    found.longest = std::max(found.longest, tiles);
  }
  return found;
}

}  // namespace

double attention_s(const AttentionLayout& a, bool backward, const AttentionUnit& unit) {
  const Walks walk = backward ? walks_of_keys(a, unit) : walks_of_queries(a, unit);
  if (a.batch * a.heads * walk.tiles == 0) return 0.0;
  const double flops = (backward ? 10.0 : 4.0) * double(unit.tile * unit.tile * a.head_dim);
  const double tile_s = flops / (unit.core_flops_per_s * unit.reach);
  const bool adds_up = backward && walk.blocks > 1 && !a.causal;
  const double ends = unit.block_tiles + (adds_up ? unit.split_tiles : 0.0);
  const double longest = double(walk.longest) + ends;
  const std::int64_t heads = a.batch * a.heads;
  double load = 0.0;  // of the core that ends last, in tiles
  // Where nothing is masked, the last block alone is shorter: its core waits for the others.
  if (!a.causal || walk.longest * walk.blocks == walk.tiles) {
    load = double(divided_up(heads * walk.blocks, unit.cores)) * longest;
  } else {
    const double tiles = double(heads) * (double(walk.tiles) + double(walk.blocks) * ends);
    load = tiles / double(unit.cores) + unit.tail * longest;
  }
  return unit.start_s + std::max(load, unit.alone * longest) * tile_s;
}

double bytes_beside(const AttentionLayout& a, const AttentionUnit& unit) {
  return unit.beside_bytes * double(a.batch * a.heads) * double(a.queries * a.head_dim);
}

}  // namespace siliconprof
