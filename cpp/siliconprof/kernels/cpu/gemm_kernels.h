#pragma once

// Small tiles of a matrix product, summed in registers, on one thread: what products, convolutions
// and their gradients are made of. Built for each instruction set.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/caches.h"

namespace siliconprof::cpu {

/// A stretch of the sum: k terms, from a + a_at and b + b_at on.
struct GemmRun {
  std::int64_t a_at;
  std::int64_t b_at;
  std::int64_t k;
};

/// C (rows, columns) = Σ over runs of A·B, added to C with accumulate, plus bias (columns). Rows
/// of B are read to the end of its vectors, whatever lies past the columns; those of A and C
/// aren't.
template <class T>
struct GemmTile {
  const T* a;
  std::int64_t a_step;  // A(r, k) at a[r·a_step + k] by rows, at a[k·a_step + r] by columns
  const T* b;
  std::int64_t b_step;  // B(k, j) at b[k·b_step + j]
  const GemmRun* runs;
  std::int64_t run_count;
  T* c;
  std::int64_t c_step;  // C(r, j) at c[r·c_step + j]
  std::int64_t columns;
  const T* bias = nullptr;
  bool accumulate = false;
  bool stream = false;  // past the caches, where c and c_step are multiples of a line; fence after
  // By rows: what will be wanted next, fetched meanwhile, `ahead_step` elements further each term;
  // where terms are taken in pairs, that of every second one. A second stretch if it isn't null, or
  // lines further on in its own rows.
  const T* ahead = nullptr;
  std::int64_t ahead_step = 0;
  const T* also_ahead = nullptr;
  std::int64_t also_ahead_step = 0;
  bool fetches_rows = false;
};

/// Lines that tiles by rows ask for while they multiply, one for each term, or of two terms that of
/// the first: tile i of `tiles` begins at from[i·tile_step] and goes on by term_step.
template <class T>
struct GemmFetch {
  const T* from = nullptr;
  std::int64_t tiles = 0;
  std::int64_t tile_step = 0;
  std::int64_t term_step = 0;

  /// So many elements in all, at least one tile of at least one term.
  static GemmFetch shared_out(const T* from, std::int64_t elements, std::int64_t tiles,
                              std::int64_t terms) {
    const std::int64_t each = divided_up(elements, tiles);
    return {from, tiles, each, divided_up(each, terms)};
  }

  /// The next tile's part; for tiles after the last, what is here.
  void ask(GemmTile<T>& tile) {
    tile.ahead = tiles > 0 ? from : tile.a;
    tile.ahead_step = tiles > 0 ? term_step : 0;
    go_on();
  }
  /// The same beside another's.
  void ask_too(GemmTile<T>& tile) {
    tile.also_ahead = tiles > 0 ? from : nullptr;
    tile.also_ahead_step = term_step;
    go_on();
  }
  void go_on() {
    --tiles;
    from += tile_step;
  }
};

/// C (rows, columns ≤ 8) = Σ over runs of A·B, A by rows. b has 8 numbers B(k, 0), ..., B(k, 7) for
/// each term k, run after run, in the order of the set's NarrowTerms; b_at is not looked at.
struct NarrowTile {
  const float* a;
  std::int64_t a_step;
  const float* b;
  const GemmRun* runs;
  std::int64_t run_count;
  float* c;
  std::int64_t c_step;
  std::int64_t columns;
  bool stream = false;           // where c is at a line and columns and c_step are 8; fence after
  const float* ahead = nullptr;  // what will be wanted next
  std::int64_t ahead_lines = 0;
};

/// In which order a narrow tile takes the terms of a run.
enum class NarrowTerms : std::uint8_t {
  // Two at once, as 8 columns are half a vector: B(k, j), B(k + 1, j) for j = 0, 1, ..., 7, the
  // second 0 past the end of the run.
  Pairs,
  // Those that rows share: A(r, k + a_step) is A(r + 1, k), so that a number of A is read once for
  // up to kNarrowSteps rows. While there are so many steps of a_step terms left, and then fewer,
  // term i of each for i = 0, 1, ..., a_step - 1; terms that fill no step come last.
  Steps,
};

inline constexpr std::int64_t kNarrowSteps = 3;

/// Panels of `columns` columns each, one after the other: M(i, j) at from[i·k_step + j·n_step], one
/// of the steps 1, goes to to[(j / columns·k + i)·width + j % columns] for k rows and n columns.
/// Past the columns of a panel there are zeros up to its width, a multiple of the lanes.
template <class T>
struct GemmPacking {
  const T* from;
  std::int64_t k_step;
  std::int64_t n_step;
  std::int64_t k;
  std::int64_t n;
  std::int64_t columns;
  std::int64_t width;
  T* to;
};

inline constexpr std::size_t kMostTileRows = 14;
inline constexpr std::size_t kMostTileVectors = 2;

/// For 1, 2, ... rows; null past the most that this instruction set has registers for.
template <class T>
using GemmTiles = std::array<void (*)(const GemmTile<T>&), kMostTileRows>;

/// C(r, j) = Σ a[r·a_step + l]·b[j·b_step + l] of k terms, plus bias(j).
template <class T>
struct DotTile {
  const T* a;
  std::int64_t a_step;
  const T* b;
  std::int64_t b_step;
  std::int64_t k;
  T* c;
  std::int64_t c_step;
  const T* bias = nullptr;
};

inline constexpr std::size_t kMostDotRows = 4;
inline constexpr std::size_t kMostDotColumns = 6;

/// For 1, 2, ... columns; null past the most that there are registers for.
template <class T>
using DotTilesOfRows = std::array<void (*)(const DotTile<T>&), kMostDotColumns>;

template <class T>
struct DotKernels {
  std::int64_t columns;  // most of a tile
  std::array<DotTilesOfRows<T>, kMostDotRows> tiles;
};

/// How products go through A and B: what was quickest with these vectors.
struct GemmWalk {
  // Terms of a panel of B beside A's own rows. Narrow vectors want the panel in the first cache.
  std::int64_t depth;
  // Tiles that one panel meets in turn before the next panel comes.
  std::int64_t tiles_in_turn;
  // Of A, brought together at once: those that stay in the second cache beside panels, more where a
  // large one doesn't hold all of these.
  std::int64_t packed_tiles;
  // Up to which B's rows are multiplied by where they lie, and not brought together in panels.
  std::int64_t tiles_of_rows;
  // Whether A is brought together by tiles: where its rows follow each other in memory, where its
  // columns do.
  bool packs_rows;
  bool packs_columns;
};

template <class T>
struct GemmKernels {
  std::array<std::int64_t, kMostTileVectors> rows;  // most of a tile of 1 vector, of 2
  std::int64_t lanes;                               // columns of a vector
  GemmWalk walk;
  std::array<GemmTiles<T>, kMostTileVectors> by_rows;  // of 1 vector of columns, of 2
  std::array<GemmTiles<T>, kMostTileVectors> by_columns;
  DotKernels<T> dots;
  void (*pack)(const GemmPacking<T>&);

  std::int64_t width() const { return std::int64_t(kMostTileVectors) * lanes; }
  /// True where a vector fills a cache line. Narrower ones leave a tile as parts of lines, and past
  /// the caches such parts go to memory one by one: 120 instead of 49 ms for 400 MB on an AMD
  /// Milan.
  bool streams() const { return lanes * std::int64_t(sizeof(T)) == 64; }
  /// Of the second cache where it is a core's own, as on CPUs with such vectors; 0 elsewhere.
  std::int64_t own_cache_bytes() const { return streams() ? second_cache_bytes() : 0; }
  /// Most rows of a tile with so many columns.
  std::int64_t most_rows(std::int64_t columns) const { return rows[columns > lanes ? 1 : 0]; }
};

struct NarrowKernels {
  NarrowTerms terms;
  std::int64_t rows;  // most of a tile; 0 where tiles of one vector are as quick
  std::array<void (*)(const NarrowTile&), kMostTileRows> by_rows;  // for 1, 2, ... rows
};

struct GemmKernelSet {
  std::string_view instruction_set;
  GemmKernels<float> float32;
  GemmKernels<double> float64;
  NarrowKernels narrow;
  void (*fence)();  // after stores past the caches

  template <class T>
  const GemmKernels<T>& of() const {
    if constexpr (sizeof(T) == 8) {
      return float64;
    } else {
      return float32;
    }
  }
};

/// Those that this CPU can run, best first.
std::span<const GemmKernelSet* const> runnable_gemm_kernels();
/// The best of them.
const GemmKernelSet& gemm_kernels();

namespace generic {
extern const GemmKernelSet kGemmKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const GemmKernelSet kGemmKernels;
}
namespace avx512 {
extern const GemmKernelSet kGemmKernels;
}
#endif

}  // namespace siliconprof::cpu
