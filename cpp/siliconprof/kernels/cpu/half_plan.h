#pragma once

// How a product of halves is cut: its terms into chunks, rows and columns into panels, and these
// into the cells of a grid, which threads share.

#include <algorithm>
#include <cstdint>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/gemm_panels.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/half_product.h"

namespace siliconprof::cpu {

/// Terms that are packed at once: sums that wait for more of them are written and read again.
inline constexpr std::int64_t kHalfDepth = 4096;
/// What is made at once of an operand, on its way into panels: lines by so many of their elements.
inline constexpr std::int64_t kMadeElements = 1024;
/// From one to the next, of so many elements: not whole pages, whose lines the first cache has few
/// places for.
constexpr std::int64_t made_step(std::int64_t elements) {
  return rounded_up(elements, kMadeChunk) + kMadeChunk;
}

/// How many chunks of a product's terms have sums of their own, which are added in order: so that
/// threads needn't pack the same rows or columns. From sizes alone, of the whole product.
std::int64_t chunks_of_terms(const HalfProduct& p);

struct HalfPlan {
  std::int64_t chunks;
  std::int64_t terms;  // of a chunk
  std::int64_t depth;
  std::int64_t panel_pairs;  // of a whole depth
  std::int64_t row_panels;
  std::int64_t column_panels;
  GridSides grid;
  std::int64_t group_panels;     // of rows that are packed at once
  std::int64_t columns_at_once;  // panels of columns
  std::int64_t made_pairs;       // room for what is made

  HalfPlan(const HalfProduct& p, const HalfTileKernels& tiles, int threads,
           std::int64_t term_chunks = 1);

  /// Of all chunks.
  std::int64_t cells() const { return chunks * grid.rows * grid.columns; }
  std::int64_t tiles() const { return row_panels * column_panels; }
  std::int64_t chunk_sums() const { return tiles() * kTileSums; }
  std::int64_t cell_rows() const { return largest_share(row_panels, grid.rows); }
  std::int64_t cell_columns() const { return largest_share(column_panels, grid.columns); }
  /// Of a thread's room, in pairs.
  std::int64_t room() const { return (group_panels + columns_at_once) * panel_pairs + made_pairs; }
  bool keeps_sums() const { return chunks > 1 || terms > kHalfDepth; }
};

}  // namespace siliconprof::cpu
