#pragma once

// Products of few rows or few columns whose operands both have a result's terms next to each
// other: dot products, for which nothing is brought together.

#include <algorithm>
#include <cstdint>

#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/kernels/cpu/gemm_panels.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/gemm_product.h"

namespace siliconprof::cpu {

// Deeper ones share their terms among threads, unless they have so few columns that rows are summed
// one after the other.
inline constexpr std::int64_t kShallow = 16384;

/// True where dot products are quicker than tiles of panels, which would be mostly empty, or not
/// repay to be packed: of no more columns than a tile has or rows than a few tiles have, and of
/// twice the columns while A is in a core's own cache. From sizes alone, as sums differ.
template <class T>
bool suits_dots(const GemmProduct<T>& p) {
  constexpr std::int64_t kFewestColumns = 3;
  constexpr std::int64_t kLeastTerms = 128;
  if (p.a_column != 1 || p.b_row != 1) return false;
  if (p.n <= kFewestColumns) return true;
  const GemmKernels<T>& kernels = gemm_kernels().of<T>();
  const std::int64_t columns = kernels.dots.columns;
  if (p.k > kShallow) return false;
  if (p.n <= columns || p.m <= columns * std::int64_t(kMostDotRows)) return true;
  const std::int64_t a_bytes = p.m * p.k * std::int64_t(sizeof(T));
  return p.n <= 2 * columns && p.k >= kLeastTerms && a_bytes <= kernels.own_cache_bytes();
}

/// Up to so many rows, and a tile's columns, from (row, column) on.
template <class T>
void multiply_dot_tile(const GemmProduct<T>& p, const DotKernels<T>& kernels, std::int64_t row,
                       std::int64_t most_rows, std::int64_t column) {
  const std::int64_t rows = std::min(most_rows, p.m - row);
  const std::int64_t columns = std::min(kernels.columns, p.n - column);
  kernels.tiles[std::size_t(rows - 1)][std::size_t(columns - 1)](
      {p.a + row * p.a_row, p.a_row, p.b + column * p.b_column, p.b_column, p.k,
       p.c + row * p.c_row + column, p.c_row, p.bias == nullptr ? nullptr : p.bias + column});
}

/// Threads share the rows or the columns, of whichever there are more tiles; those of a tile meet
/// all of the others in turn.
template <class T>
void share_dots(const KernelCall& k, const GemmProduct<T>& p) {
  const DotKernels<T>& kernels = gemm_kernels().of<T>().dots;
  const std::int64_t rows = p.k > kShallow ? 1 : std::int64_t(kMostDotRows);
  const std::int64_t columns = kernels.columns;
  const std::int64_t row_tiles = panel_count(p.m, rows);
  const std::int64_t column_tiles = panel_count(p.n, columns);
  const bool by_rows = row_tiles >= column_tiles;
  const std::int64_t results = by_rows ? rows * paced_rows(p.n) : columns * paced_rows(p.m);
  const double flops = 2.0 * double(std::max<std::int64_t>(p.k, 1)) * double(results);
  run_by_flops(
      k, by_rows ? row_tiles : column_tiles, flops, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t own = begin; own < end; ++own) {
          for (std::int64_t other = 0; other < (by_rows ? column_tiles : row_tiles); ++other) {
            const std::int64_t row = (by_rows ? own : other) * rows;
            multiply_dot_tile(p, kernels, row, rows, (by_rows ? other : own) * columns);
          }
        }
      });
}

}  // namespace siliconprof::cpu
