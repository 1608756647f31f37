#pragma once

// One thread's part of a product of matrices: panels of B times tiles of rows of A.

#include <algorithm>
#include <cstdint>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/caches.h"
#include "siliconprof/kernels/cpu/cpu_features.h"
#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/kernels/cpu/gemm_panels.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/gemm_product.h"

namespace siliconprof::cpu {

/// What of C is computed: rows, panels of columns, terms.
struct GemmRange {
  std::int64_t row;
  std::int64_t row_end;
  std::int64_t panel;
  std::int64_t panel_end;
  std::int64_t term;
  std::int64_t term_end;
};

/// How a product goes through its factors, decided for all of it: parts of its rows are summed, and
/// have room, by the same.
struct GemmChoices {
  bool packs_a;           // rows of A are brought together
  bool reads_b_in_order;  // its rows where they lie, as they follow each other in memory
  bool packs_long_runs;   // of B's rows, more panels at once
  std::int64_t depth;     // terms of a panel
};

template <class T>
struct Multiplier {
  // Terms of rows of A that were brought together: a panel of so many and they share the caches.
  static constexpr std::int64_t kPackedDepth = 2048 / std::int64_t(sizeof(T));
  // Tiles that one panel meets in turn where results go past the caches: while these are on their
  // way, the panel had better be in the first cache.
  static constexpr std::int64_t kStreamedTiles = 4;
  // Terms at once where rows of a far matrix are read where they lie: as many rows as a core reads
  // ahead of. Down its columns each line is waited for, which takes two to three times as long.
  static constexpr std::int64_t kRowsReadAhead = 32;

  const GemmProduct<T>& p;
  bool stream;
  const T* next_b = nullptr;  // of the product that comes after this one
  const GemmKernels<T>& kernels = gemm_kernels().of<T>();
  // Columns that fill one vector of a panel's are packed as one.
  std::int64_t width =
      std::min(kernels.width(), std::max(kernels.lanes, rounded_up(p.n, kernels.lanes)));
  std::int64_t tile_rows = even_part(p.m, most_rows());
  std::int64_t a_width = rounded_up(tile_rows, kernels.lanes);
  GemmChoices choices = choose();

  std::int64_t panels() const { return panel_count(p.n, width); }
  std::int64_t tiles() const { return tile_count(0, p.m); }
  std::int64_t tile_count(std::int64_t row, std::int64_t row_end) const {
    return divided_up(row_end - row, tile_rows);
  }

  /// True where B's own rows do as panels: they lie close to each other, are read in order, or stay
  /// near and meet so few tiles that it isn't repaid to bring them together.
  bool b_is_ready() const {
    if (!b_has_panels()) return false;
    return p.b_row <= 2 * width || choices.reads_b_in_order ||
           (is_for_few_tiles() && !is_far(p.k * p.n));
  }
  /// Numbers of a thread's room for rows of A.
  std::int64_t a_room() const {
    return choices.packs_a
               ? std::min(packed_tiles(), tiles()) * std::min(p.k, choices.depth) * a_width
               : 0;
  }
  /// Tiles of A that are brought together at once.
  std::int64_t packed_tiles() const {
    // Panels that a large second cache doesn't hold come from beyond it for each turn.
    constexpr std::int64_t kLarge = std::int64_t{2} << 20;
    constexpr double kOfCache = 0.45;
    const std::int64_t cache_bytes = kernels.own_cache_bytes();
    const std::int64_t row_bytes = std::min(p.k, choices.depth) * std::int64_t(sizeof(T));
    if (cache_bytes < kLarge || row_bytes * p.n <= cache_bytes / 2) {
      return kernels.walk.packed_tiles;
    }
    return std::max(kernels.walk.packed_tiles,
                    std::int64_t(kOfCache * double(cache_bytes) / double(row_bytes * a_width)));
  }
  /// True where all of A is brought together once, for all groups of panels.
  bool a_stays() const {
    return choices.packs_a && p.k <= choices.depth && tiles() <= packed_tiles();
  }
  std::int64_t panels_together() const {
    const std::int64_t terms = std::min(p.k, choices.depth);
    if (!choices.packs_a) {
      const std::int64_t cache_bytes = kernels.own_cache_bytes();
      const std::int64_t rows_bytes = p.m * terms * std::int64_t(sizeof(T));
      const std::int64_t room_bytes = choices.packs_long_runs
                                          ? wide_room_bytes(cache_bytes)
                                          : panels_room_bytes(rows_bytes, cache_bytes);
      return panels_at_once(terms, width, sizeof(T), room_bytes);
    }
    // Rows of A are brought together again for each group, unless they stay.
    constexpr std::int64_t kBesidePacked = std::int64_t{1} << 20;
    const std::int64_t panel_bytes =
        std::max<std::int64_t>(1, terms) * width * std::int64_t(sizeof(T));
    return std::max<std::int64_t>(1, kBesidePacked / panel_bytes);
  }

  /// Panels [panel, panel_end) of B, one after the other.
  void pack(std::int64_t panel, std::int64_t panel_end, std::int64_t term, std::int64_t terms,
            T* to) const {
    const std::int64_t column = panel * width;
    kernels.pack({p.b + term * p.b_row + column * p.b_column, p.b_row, p.b_column, terms,
                  std::min(p.n, panel_end * width) - column, width, width, to});
  }

  /// What of B the range takes, to be fetched while `panels_before` panels of `terms` are at work.
  /// Columns, or rows, that follow each other: of others, a line each term would come from a place
  /// of its own, and tiles wait for it (1.04 to 1.18 of the time on an Intel Xeon with AMX).
  GemmFetch<T> fetch_of(const GemmRange& r, std::int64_t terms, std::int64_t panels_before) const {
    if (choices.packs_a || !kernels.streams() || r.panel >= r.panel_end || terms == 0) return {};
    const bool rows_follow = p.b_column == 1 && p.b_row == p.n && panels() == 1;
    if (!rows_follow && (p.b_column == 1 || p.b_column != terms)) return {};
    const T* from = p.b + r.term * p.b_row + r.panel * width * p.b_column;
    const std::int64_t columns = std::min(p.n, r.panel_end * width) - r.panel * width;
    return GemmFetch<T>::shared_out(from, columns * (r.term_end - r.term),
                                    tiles_that_fetch(panels_before), terms);
  }

  /// Of the next product's B, which follows in memory, as much as `panels` panels of `terms` ask
  /// for: the first tiles would wait for it.
  GemmFetch<T> fetch_of_next(std::int64_t panels, std::int64_t terms) const {
    if (next_b == nullptr || choices.packs_a || terms == 0) return {};
    return GemmFetch<T>::shared_out(next_b, p.k * p.n, tiles_that_fetch(panels), terms);
  }

  /// Tiles of the first panel fetch rows of A, those of the others what of B comes next; of one
  /// panel alone, both.
  std::int64_t tiles_that_fetch(std::int64_t panels) const {
    return tiles() * std::max<std::int64_t>(1, panels - 1);
  }

  /// Panels of the range, one after the other at `packed`; null for B's own rows. Meanwhile `next`
  /// is fetched. `room`: for rows of A that are brought together, or where `a_is_ready`, all of
  /// them.
  void add(const GemmRange& r, const T* packed, T* room, GemmFetch<T> next = {},
           bool a_is_ready = false) const {
    const std::int64_t terms = r.term_end - r.term;
    const bool packs = choices.packs_a && !a_is_ready;
    const std::int64_t at_once = packs ? packed_tiles() * tile_rows : r.row_end;
    const std::int64_t together = panels_together();
    for (std::int64_t row = r.row; row < r.row_end; row += at_once) {
      const std::int64_t row_end = std::min(r.row_end, row + at_once);
      if (packs) pack_tiles(row, row_end, r.term, terms, room);
      for (std::int64_t panel = r.panel; panel < r.panel_end; panel += together) {
        const std::int64_t panel_end = std::min(r.panel_end, panel + together);
        const std::int64_t at = (panel - r.panel) * terms * width;
        add_rows({row, row_end, panel, panel_end, r.term, r.term_end},
                 packed == nullptr ? nullptr : packed + at, room, next);
      }
    }
  }

  /// A group of panels times rows of A that are at `room`, or lie where they are multiplied.
  void add_rows(const GemmRange& r, const T* packed, const T* room, GemmFetch<T>& next) const {
    const std::int64_t terms = r.term_end - r.term;
    const GemmRun run{0, 0, terms};
    GemmTile<T> tile{nullptr, p.a_column == 1 ? p.a_row : p.a_column,
                     nullptr, packed == nullptr ? p.b_row : width,
                     &run,    1,
                     nullptr, p.c_row,
                     0};
    tile.accumulate = r.term > 0;
    tile.stream = stream;
    const std::int64_t least = stream ? kStreamedTiles : 1;
    const std::int64_t turn = std::max(least, kernels.walk.tiles_in_turn) * tile_rows;
    for (std::int64_t row = r.row; row < r.row_end; row += turn) {
      const std::int64_t row_end = std::min(r.row_end, row + turn);
      for (std::int64_t panel = r.panel; panel < r.panel_end; ++panel) {
        const std::int64_t column = panel * width;
        tile.b = packed == nullptr ? p.b + r.term * p.b_row + column
                                   : packed + (panel - r.panel) * terms * width;
        tile.columns = std::min(width, p.n - column);
        tile.bias = p.bias != nullptr && r.term_end == p.k ? p.bias + column : nullptr;
        const GemmRange tiles{row, row_end, panel, panel + 1, r.term, r.term_end};
        if (choices.packs_a) {
          add_packed_tiles(tiles, room + (row - r.row) / tile_rows * terms * a_width, tile);
        } else if (panel > r.panel) {
          add_tiles(tiles, {}, next, tile);
        } else {
          GemmFetch<T> none;
          const GemmFetch<T> rows = following_rows(tiles);
          tile.fetches_rows = rows.tiles == 0 && fetches_own_rows();
          add_tiles(tiles, rows, r.panel_end - r.panel > 1 ? none : next, tile);
          tile.fetches_rows = false;
        }
      }
    }
  }

  /// Rows of A that follow each other in memory are fetched once, while the first panel is at work;
  /// all of their terms with the first ones, where they stay near until the others' turn.
  GemmFetch<T> following_rows(const GemmRange& r) const {
    constexpr std::int64_t kNear = (std::int64_t{256} << 10) / std::int64_t(sizeof(T));
    const std::int64_t terms = r.term_end - r.term;
    if (p.a_column != 1 || p.a_row != p.k || r.term > 0 || terms == 0) return {};
    if (terms != p.k && p.m * p.k > kNear) return {};
    return {p.a + (r.row + tile_rows) * p.a_row, tile_count(r.row, r.row_end), tile_rows * p.a_row,
            tile_rows * p.k / terms};
  }

  /// Rows that lie apart and meet one panel: a core's own look ahead begins anew in each page. An
  /// AMD EPYC (Zen 5) takes 0.94 of the time; others weren't measured.
  bool fetches_own_rows() const { return panels() == 1 && kernels.streams() && cpu_features().amd; }

  /// Rows of A one tile after the other, times the panel that `tile` holds; meanwhile rows and what
  /// of B comes next are fetched.
  void add_tiles(const GemmRange& r, GemmFetch<T> rows, GemmFetch<T>& next,
                 GemmTile<T> tile) const {
    const auto& tiles = (p.a_column == 1 ? kernels.by_rows : kernels.by_columns)[vectors(tile) - 1];
    const bool fetches_rows = rows.tiles > 0;
    for (std::int64_t row = r.row; row < r.row_end; row += tile_rows) {
      tile.a = p.a + row * p.a_row + r.term * p.a_column;
      tile.c = p.c + row * p.c_row + r.panel * width;
      if (fetches_rows) {
        rows.ask(tile);
        next.ask_too(tile);
      } else {
        next.ask(tile);
      }
      tiles[std::size_t(std::min(tile_rows, r.row_end - row) - 1)](tile);
    }
  }

  /// The same for rows that pack_tiles brought together.
  void add_packed_tiles(const GemmRange& r, const T* packed, GemmTile<T> tile) const {
    const auto& tiles = kernels.by_columns[vectors(tile) - 1];
    tile.a_step = a_width;
    for (std::int64_t row = r.row; row < r.row_end; row += tile_rows) {
      tile.a = packed;
      tile.c = p.c + row * p.c_row + r.panel * width;
      tiles[std::size_t(std::min(tile_rows, r.row_end - row) - 1)](tile);
      packed += (r.term_end - r.term) * a_width;
    }
  }

  void pack_tiles(std::int64_t row, std::int64_t row_end, std::int64_t term, std::int64_t terms,
                  T* to) const {
    kernels.pack({p.a + row * p.a_row + term * p.a_column, p.a_column, p.a_row, terms,
                  row_end - row, tile_rows, a_width, to});
  }

  /// Panels [panel, panel_end) for all rows; those up to `asked_end` may come next. `room` for
  /// room() numbers. Ends early where go_on(flops), asked after so many, says no.
  template <class GoOn>
  void multiply_panels(std::int64_t panel, std::int64_t panel_end, T* room, GoOn&& go_on,
                       std::int64_t asked_end = 0) const {
    asked_end = std::max(asked_end, panel_end);
    // So that go_on is asked often enough where rows are many.
    const auto rows_paced = double(paced_rows(p.m));
    const double flops_each =
        2.0 * rows_paced * double(paced_terms(std::min(p.k, choices.depth))) * double(width);
    const std::int64_t together = std::clamp<std::int64_t>(
        std::int64_t(kFlopsBetweenPolls / std::max(flops_each, 1.0)), 1, panels_together());
    T* packed = b_is_ready() ? nullptr : room;
    T* rows = room + b_room();
    const bool stays = a_stays();
    if (stays && panel < panel_end) pack_tiles(0, p.m, 0, p.k, rows);
    for (std::int64_t first = panel; first < panel_end; first += together) {
      const std::int64_t last = std::min(panel_end, first + together);
      std::int64_t term = 0;
      do {  // once for no terms at all
        const std::int64_t term_end = std::min(p.k, term + choices.depth);
        if (packed != nullptr) pack(first, last, term, term_end - term, packed);
        const std::int64_t terms = term_end - term;
        const GemmRange next =
            term_end < p.k
                ? GemmRange{0, p.m, first, last, term_end, std::min(p.k, term_end + choices.depth)}
                : GemmRange{0,    p.m,
                            last, std::min(asked_end, last + together),
                            0,    std::min(p.k, choices.depth)};
        add({0, p.m, first, last, term, term_end}, packed, rows,
            term_end == p.k && last == asked_end ? fetch_of_next(last - first, terms)
                                                 : fetch_of(next, terms, last - first),
            stays);
        if (!go_on(2.0 * rows_paced * double(paced_terms(terms)) *
                   double((last - first) * width))) {
          return;
        }
        term = term_end;
      } while (term < p.k);
    }
  }

  /// Numbers that multiply_panels takes: panels, and rows of A that are brought together.
  std::int64_t room() const { return b_room() + a_room(); }
  /// Numbers of the panels that multiply_panels packs.
  std::int64_t b_room() const { return b_room_of(std::min(panels(), panels_together())); }
  /// Numbers of so many panels, packed.
  std::int64_t b_room_of(std::int64_t count) const {
    return b_is_ready() ? 0 : count * std::min(p.k, choices.depth) * width;
  }

 private:
  GemmChoices choose() const {
    const bool b_is_far = b_has_panels() && is_far(p.k * p.n);
    const bool is_one_tile = tiles() == 1;
    // Few panels, or one tile, don't repay it to bring rows of A together.
    const bool packs_a = panels() >= 3 && (p.a_column == 1 ? kernels.walk.packs_rows && !is_one_tile
                                                           : kernels.walk.packs_columns &&
                                                                 !(is_one_tile && b_is_far));
    // Of a far A by its columns each of two threads has half.
    const bool reads_a_in_order = p.a_column != 1 && is_far(p.m * p.k / 2);
    const bool reads_b_in_order = b_is_far && is_one_tile;
    const std::int64_t depth = packs_a                                ? even_part(p.k, kPackedDepth)
                               : reads_b_in_order || reads_a_in_order ? kRowsReadAhead
                                                                      : kernels.walk.depth;
    return {packs_a, reads_b_in_order, b_is_far && is_for_few_tiles(), depth};
  }
  /// Whether B's rows are whole vectors of neighbouring columns.
  bool b_has_panels() const { return p.b_column == 1 && p.n % kernels.lanes == 0; }
  bool is_for_few_tiles() const { return tiles() <= kernels.walk.tiles_of_rows; }
  /// Whether so many numbers outgrow a core's own second cache.
  bool is_far(std::int64_t numbers) const {
    const std::int64_t cache_bytes = kernels.own_cache_bytes();
    return cache_bytes > 0 && numbers * std::int64_t(sizeof(T)) > cache_bytes;
  }
  std::size_t vectors(const GemmTile<T>& tile) const {
    return tile.columns > kernels.lanes ? 2 : 1;
  }
  std::int64_t most_rows() const {
    const std::int64_t most = kernels.most_rows(p.n);
    if (p.a_column != 1) return most;
    return rows_that_fit(most, p.a_row * std::int64_t(sizeof(T)), first_cache_bytes());
  }
};

}  // namespace siliconprof::cpu
