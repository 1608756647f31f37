#include "siliconprof/kernels/cpu/gemm_product.h"

#include <algorithm>

#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/kernels/cpu/gemm_panels.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {
namespace {

// A product this deep, for its results, is summed in parts that threads share.
constexpr std::int64_t kPartDepth = 16384;
constexpr std::int64_t kFewResults = 16384;
// Columns up to which each is a sum of its own, and how much longer a term then takes: it is read.
constexpr std::int64_t kFewColumns = 3;
constexpr double kReadFlops = 8;

template <class T>
T* scratch_of(Scratch& scratch, std::int64_t n) {
  return scratch.numbers<T>(n);
}

/// What of C is computed: rows, panels of columns, terms; where B's panels are.
struct Range {
  std::int64_t row;
  std::int64_t row_end;
  std::int64_t panel;
  std::int64_t panel_end;
  std::int64_t term;
  std::int64_t term_end;
};

template <class T>
struct Multiplier {
  const GemmProduct<T>& p;
  bool stream;
  const GemmKernels<T>& kernels = gemm_kernels().of<T>();
  std::int64_t width = kernels.width();
  std::int64_t tile_rows =
      even_part(p.m, rows_that_fit(kernels.most_rows(p.n),
                                   p.a_column == 1 ? p.a_row * std::int64_t(sizeof(T)) : 0));

  std::int64_t panels() const { return panel_count(p.n, width); }
  std::int64_t tiles() const { return (p.m + tile_rows - 1) / tile_rows; }

  /// True where B's own rows do as panels.
  bool b_is_ready() const {
    return p.b_column == 1 && p.n % kernels.lanes == 0 && p.b_row <= 2 * width;
  }

  void pack(std::int64_t panel, std::int64_t term, std::int64_t terms, T* to) const {
    const std::int64_t column = panel * width;
    pack_panel(p.b + term * p.b_row + column * p.b_column, p.b_row, p.b_column, terms,
               std::min(width, p.n - column), width, to);
  }

  /// Panels of the range, one after the other at `packed`; null for B's own rows.
  void add(const Range& r, const T* packed) const {
    const std::int64_t terms = r.term_end - r.term;
    const GemmRun run{0, 0, terms};
    GemmTile<T> tile{nullptr, p.a_column == 1 ? p.a_row : p.a_column,
                     nullptr, packed == nullptr ? p.b_row : width,
                     &run,    1,
                     nullptr, p.c_row,
                     0};
    tile.accumulate = r.term > 0;
    tile.stream = stream;
    const std::int64_t turn = kernels.tiles_in_turn * tile_rows;
    for (std::int64_t row = r.row; row < r.row_end; row += turn) {
      for (std::int64_t panel = r.panel; panel < r.panel_end; ++panel) {
        const std::int64_t column = panel * width;
        tile.b = packed == nullptr ? p.b + r.term * p.b_row + column
                                   : packed + (panel - r.panel) * terms * width;
        tile.columns = std::min(width, p.n - column);
        tile.bias = p.bias != nullptr && r.term_end == p.k ? p.bias + column : nullptr;
        // Rows that follow each other in memory are fetched once, while the first panel is at work.
        const bool fetch = panel == r.panel && p.a_column == 1 && terms == p.k && p.a_row == p.k;
        add_tiles({row, std::min(r.row_end, row + turn), panel, panel + 1, r.term, r.term_end},
                  fetch, tile);
      }
    }
  }

  /// Rows of A one tile after the other, times the panel that `tile` holds.
  void add_tiles(const Range& r, bool fetch, GemmTile<T> tile) const {
    const std::size_t vectors = tile.columns > kernels.lanes ? 2 : 1;
    const auto& tiles = (p.a_column == 1 ? kernels.by_rows : kernels.by_columns)[vectors - 1];
    for (std::int64_t row = r.row; row < r.row_end; row += tile_rows) {
      tile.a = p.a + row * p.a_row + r.term * p.a_column;
      tile.c = p.c + row * p.c_row + r.panel * width;
      tile.ahead = tile.a + (fetch ? tile_rows * p.a_row : 0);
      tile.ahead_step = fetch ? tile_rows : 0;
      tiles[std::size_t(std::min(tile_rows, r.row_end - row) - 1)](tile);
    }
  }

  /// Panels [panel, panel_end) for all rows, on one thread.
  void multiply_panels(std::int64_t panel, std::int64_t panel_end, Scratch& scratch) const {
    const std::int64_t depth = std::min(p.k, kernels.depth);
    const std::int64_t together = panels_at_once(depth, width, sizeof(T));
    T* packed = b_is_ready() ? nullptr : scratch_of<T>(scratch, together * depth * width);
    for (std::int64_t first = panel; first < panel_end; first += together) {
      const std::int64_t last = std::min(panel_end, first + together);
      std::int64_t term = 0;
      do {  // once for no terms at all
        const std::int64_t term_end = std::min(p.k, term + depth);
        for (std::int64_t i = first; i < last && packed != nullptr; ++i) {
          pack(i, term, term_end - term, packed + (i - first) * (term_end - term) * width);
        }
        add({0, p.m, first, last, term, term_end}, packed);
        term = term_end;
      } while (term < p.k);
    }
  }
};

double flops_of(double m, double k, double n) { return 2.0 * m * std::max(k, 1.0) * n; }

template <class T>
bool may_stream(const KernelCall& k, const GemmProduct<T>& p) {
  constexpr std::int64_t kLine = 64;
  const GemmKernels<T>& kernels = gemm_kernels().of<T>();
  return kernels.streams() && exceeds_cache(k) && p.k <= kernels.depth &&
         p.c_row * std::int64_t(sizeof(T)) % kLine == 0 &&
         reinterpret_cast<std::uintptr_t>(p.c) % kLine == 0;
}

/// Threads share columns: each packs the panels that it multiplies by.
template <class T>
void share_columns(const KernelCall& k, const Multiplier<T>& multiplier) {
  const GemmProduct<T>& p = multiplier.p;
  run_by_flops(k, multiplier.panels(), flops_of(double(p.m), double(p.k), double(multiplier.width)),
               [&](std::int64_t begin, std::int64_t end) {
                 multiplier.multiply_panels(begin, end, kernel_scratch());
                 if (multiplier.stream) gemm_kernels().fence();
               });
}

/// Threads share rows: B is packed once for all, a block of its depth at a time.
template <class T>
void share_rows(const KernelCall& k, const Multiplier<T>& multiplier) {
  const GemmProduct<T>& p = multiplier.p;
  const std::int64_t width = multiplier.width;
  const std::int64_t depth = std::min(p.k, multiplier.kernels.depth);
  const std::int64_t panels = multiplier.panels();
  const std::int64_t together = panels_at_once(depth, width, sizeof(T));
  T* packed =
      multiplier.b_is_ready() ? nullptr : scratch_of<T>(kernel_scratch(), panels * depth * width);
  std::int64_t term = 0;
  do {  // once for no terms at all
    const std::int64_t term_end = std::min(p.k, term + depth);
    const std::int64_t terms = term_end - term;
    if (packed != nullptr) {
      parallel_shares(k.threads, panels, 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t i = begin; i < end; ++i) {
          multiplier.pack(i, term, terms, packed + i * terms * width);
        }
      });
    }
    const double flops = flops_of(double(multiplier.tile_rows), double(terms), double(p.n));
    run_by_flops(k, multiplier.tiles(), flops, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t row = begin * multiplier.tile_rows;
      const std::int64_t row_end = std::min(p.m, end * multiplier.tile_rows);
      for (std::int64_t first = 0; first < panels; first += together) {
        const std::int64_t last = std::min(panels, first + together);
        multiplier.add({row, row_end, first, last, term, term_end},
                       packed == nullptr ? nullptr : packed + first * terms * width);
      }
      if (multiplier.stream) gemm_kernels().fence();
    });
    term = term_end;
  } while (term < p.k);
}

/// Threads share terms: sums of parts of the depth, added in order.
template <class T>
void share_terms(const KernelCall& k, const GemmProduct<T>& p) {
  static thread_local Scratch scratch;
  const std::int64_t parts = (p.k + kPartDepth - 1) / kPartDepth;
  const std::int64_t results = p.m * p.n;
  T* sums = scratch_of<T>(scratch, parts * results);
  run_by_flops(k, parts, flops_of(double(p.m), double(kPartDepth), double(p.n)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t part = begin; part < end; ++part) {
                   GemmProduct<T> piece = p;
                   const std::int64_t term = part * kPartDepth;
                   piece.k = std::min(kPartDepth, p.k - term);
                   piece.a += term * p.a_column;
                   piece.b += term * p.b_row;
                   piece.c = sums + part * results;
                   piece.c_row = p.n;
                   piece.bias = nullptr;
                   const Multiplier<T> multiplier{piece, false};
                   multiplier.multiply_panels(0, multiplier.panels(), kernel_scratch());
                 }
               });
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      T total = p.bias == nullptr ? T(0) : p.bias[j];
      for (std::int64_t part = 0; part < parts; ++part) total += sums[part * results + i * p.n + j];
      p.c[i * p.c_row + j] = total;
    }
  }
  scratch.trim();
}

/// Columns one by one: a vector of them would be mostly empty.
template <class T>
void share_dots(const KernelCall& k, const GemmProduct<T>& p) {
  const auto dot = gemm_kernels().of<T>().dot;
  const double flops = flops_of(1.0, double(p.k), double(p.n));
  run_by_flops(k, p.m, flops * kReadFlops, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t j = 0; j < p.n; ++j) {
        const T bias = p.bias == nullptr ? T(0) : p.bias[j];
        p.c[row * p.c_row + j] = dot(p.a + row * p.a_row, p.b + j * p.b_column, p.k) + bias;
      }
    }
  });
}

template <class T>
bool is_few_columns(const GemmProduct<T>& p) {
  return p.n <= kFewColumns && p.a_column == 1 && p.b_row == 1;
}

template <class T>
bool is_deep(const GemmProduct<T>& p) {
  return p.k >= 2 * kPartDepth && p.m * p.n <= kFewResults;
}

/// Where B is larger than A, what it takes to pack it counts.
template <class T>
bool is_wide(const Multiplier<T>& multiplier, int threads) {
  return multiplier.p.n > multiplier.p.m && multiplier.panels() >= 2 * threads;
}

}  // namespace

bool tiles_suit(std::int64_t m, std::int64_t k, std::int64_t n, bool transpose_a) {
  constexpr std::int64_t kSkinny = 8;
  // Rows of a transposed A are scattered: a library that copies it first catches up sooner.
  constexpr std::int64_t kScattered = 64;
  if (transpose_a && std::min(k, n) > kScattered) return false;
  return gemm_kernels().instruction_set != "generic" && m >= 8 &&
         std::min(k, n) * kSkinny <= std::max({m, k, n});
}

template <class T>
void multiply(const KernelCall& k, const GemmProduct<T>& p) {
  if (p.m == 0 || p.n == 0) return;
  if (is_few_columns(p)) return share_dots(k, p);
  if (is_deep(p)) return share_terms(k, p);
  const Multiplier<T> multiplier{p, may_stream(k, p)};
  if (is_wide(multiplier, k.threads)) return share_columns(k, multiplier);
  share_rows(k, multiplier);
  kernel_scratch().trim();
}

template <class T>
void multiply_batch(const KernelCall& k, const GemmProduct<T>& first, std::int64_t batch) {
  const auto at = [&first](std::int64_t i) {
    GemmProduct<T> p = first;
    p.a += i * first.m * first.k;
    p.b += i * first.k * first.n;
    p.c += i * first.m * first.n;
    return p;
  };
  if (batch < k.threads || flops_of(double(first.m), double(first.k), double(first.n)) > 1e9) {
    for (std::int64_t i = 0; i < batch; ++i) {
      if (i > 0 && k.poll) k.poll();
      multiply(k, at(i));
    }
    return;
  }
  run_by_flops(k, batch, flops_of(double(first.m), double(first.k), double(first.n)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const GemmProduct<T> p = at(i);
                   const Multiplier<T> multiplier{p, may_stream(k, p)};
                   multiplier.multiply_panels(0, multiplier.panels(), kernel_scratch());
                 }
                 gemm_kernels().fence();
               });
}

template <class T>
ScratchBytes panels_bytes(const GemmProduct<T>& p, int threads) {
  const Multiplier<T> multiplier{p, false};
  if (p.m == 0 || p.n == 0 || is_few_columns(p) || multiplier.b_is_ready()) return {};
  const std::int64_t depth = std::min(p.k, multiplier.kernels.depth);
  const std::int64_t panels = multiplier.panels();
  const std::int64_t each = depth * multiplier.width * std::int64_t(sizeof(T));
  if (!is_deep(p) && !is_wide(multiplier, threads)) return {panels * each, 0};
  const std::int64_t of_thread =
      std::min(panels, panels_at_once(depth, multiplier.width, sizeof(T))) * each;
  return {of_thread, of_thread};
}

template ScratchBytes panels_bytes(const GemmProduct<float>&, int);
template ScratchBytes panels_bytes(const GemmProduct<double>&, int);
template void multiply(const KernelCall&, const GemmProduct<float>&);
template void multiply(const KernelCall&, const GemmProduct<double>&);
template void multiply_batch(const KernelCall&, const GemmProduct<float>&, std::int64_t);
template void multiply_batch(const KernelCall&, const GemmProduct<double>&, std::int64_t);

}  // namespace siliconprof::cpu
