#pragma once

// How threads share the results of a product: groups of rows by groups of panels. Each packs the
// panels that it multiplies by and waits for no other: to meet, and to bring a panel from the core
// that packed it, takes longer than to pack it again (a product of 256x768x768 on 16 threads takes
// half the time, one of 512x512x512 two thirds).

#include <algorithm>
#include <cstdint>

#include "siliconprof/kernels/cpu/gemm_multiplier.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/gemm_product.h"

namespace siliconprof::cpu {

/// Some rows of a product, by the same sums as the whole.
template <class T>
class GemmStrip {
 public:
  GemmStrip(const Multiplier<T>& whole, std::int64_t row, std::int64_t row_end)
      : piece_(rows_of(whole.p, row, row_end)), multiplier_{piece_, whole.stream} {
    multiplier_.choices = whole.choices;
  }
  GemmStrip(const GemmStrip&) = delete;  // the multiplier refers to the piece
  GemmStrip& operator=(const GemmStrip&) = delete;

  const Multiplier<T>& multiplier() const { return multiplier_; }
  /// Numbers of a thread's room.
  std::int64_t room() const { return multiplier_.room(); }

 private:
  static GemmProduct<T> rows_of(GemmProduct<T> p, std::int64_t row, std::int64_t row_end) {
    p.m = row_end - row;
    if (p.a != nullptr) p.a += row * p.a_row;
    if (p.c != nullptr) p.c += row * p.c_row;
    return p;
  }

  GemmProduct<T> piece_;
  Multiplier<T> multiplier_;
};

/// A cell of it is a thread's: a group of rows by a group of panels, which it takes in turns. Those
/// who are done with their own help others: beside other virtual machines some threads take twice
/// as long, and products of 16 with them but for this help (0.66 to 0.75 of the time).
template <class T>
struct GemmGrid {
  const Multiplier<T>& whole;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t strips_of_cell = strips();
  std::int64_t panels_of_turn = turn_panels();

  std::int64_t cells() const { return rows * columns; }
  /// Most of a cell.
  std::int64_t cell_rows() const { return largest_share(whole.p.m, rows); }
  std::int64_t cell_panels() const { return largest_share(whole.panels(), columns); }
  std::int64_t turns_of_cell() const {
    return strips_of_cell * largest_share(cell_panels(), panels_of_turn);
  }

  std::int64_t panel(std::int64_t column) const { return whole.panels() * column / columns; }
  GemmStrip<T> strip(std::int64_t row, std::int64_t i) const {
    const std::int64_t at = row * strips_of_cell + i;
    const std::int64_t all = rows * strips_of_cell;
    return {whole, whole.p.m * at / all, whole.p.m * (at + 1) / all};
  }
  GemmStrip<T> longest_strip() const {
    return {whole, 0, largest_share(whole.p.m, rows * strips_of_cell)};
  }

  /// One turn: panels of a strip, strip after strip. `room` for the longest.
  template <class GoOn>
  void multiply(std::int64_t cell, std::int64_t turn, T* room, GoOn&& go_on) const {
    const std::int64_t groups = turns_of_cell() / strips_of_cell;
    const std::int64_t column = cell % columns;
    const std::int64_t end = panel(column + 1);
    const std::int64_t first = panel(column) + turn % groups * panels_of_turn;
    const std::int64_t last = std::min(end, first + panels_of_turn);
    if (first >= last) return;  // a cell of fewer panels than others
    strip(cell / columns, turn / groups)
        .multiplier()
        .multiply_panels(first, last, room, go_on, end);
  }

 private:
  /// So short that two lie between polls, though rows meet all panels of a group at once, and so
  /// long as to repay it to pack these for each.
  std::int64_t strips() const {
    constexpr double kLeastRows = 512;
    const std::int64_t together = std::min(cell_panels(), whole.panels_together());
    const double row_flops = 2.0 * double(paced_terms(std::min(whole.p.k, whole.choices.depth))) *
                             double(whole.width * together);
    const double most_rows = std::max(kLeastRows, kFlopsBetweenPolls / 2 / row_flops);
    const auto of_polls = 1 + std::int64_t(double(cell_rows()) / most_rows);
    const auto of_turns = std::int64_t(double(cell_rows()) / (2 * kLeastRows));
    return std::max(of_polls, std::min(of_turns, turns()));
  }
  /// Of a cell: so many that a thread of half the speed holds up none for long, if each is worth to
  /// be taken.
  std::int64_t turns() const {
    constexpr double kTurns = 4;
    constexpr double kLeastFlops = 16 * kGrainFlops;
    if (cells() == 1) return 1;
    const double flops =
        2.0 * double(cell_rows()) * double(whole.p.k) * double(cell_panels() * whole.width);
    return std::int64_t(std::clamp(flops / kLeastFlops, 1.0, kTurns));
  }
  /// No fewer than meet rows at once that had to be brought near again for the next ones: all of a
  /// cell where these were brought together for all.
  std::int64_t turn_panels() const {
    const std::int64_t panels = std::max<std::int64_t>(1, cell_panels());
    const GemmStrip<T> strip = longest_strip();
    const Multiplier<T>& own = strip.multiplier();
    if (own.a_stays()) return panels;
    const std::int64_t row_bytes =
        std::min(whole.p.k, whole.choices.depth) * std::int64_t(sizeof(T));
    const bool near =
        !own.choices.packs_a && own.p.m * row_bytes <= own.kernels.own_cache_bytes() / 2;
    const std::int64_t least = near ? 1 : own.panels_together();
    return std::min(
        panels, std::max(least, largest_share(
                                    panels, std::max<std::int64_t>(1, turns() / strips_of_cell))));
  }
};

/// How long the busiest thread takes: rows of A times the panels that meet them.
template <class T>
double cost_of(const Multiplier<T>& whole, const GridSides& sides) {
  // Measured on an AMD EPYC (Zen 5), with vectors of 512 and of 256 bits.
  constexpr double kRowsOfPacking = 12;     // that a panel meets in the time that it takes to pack
  constexpr double kPanelsOfReading = 0.4;  // that rows meet in the time that it takes to read
  constexpr double kPanelsOfPacking = 1;    // or to bring them together
  const GemmStrip<T> cell(whole, 0, largest_share(whole.p.m, sides.rows));
  const Multiplier<T>& own = cell.multiplier();
  const std::int64_t panels = largest_share(whole.panels(), sides.columns);
  const std::int64_t groups = own.a_stays() ? 1 : largest_share(panels, own.panels_together());
  const double of_row = own.choices.packs_a ? kPanelsOfPacking * double(groups) : kPanelsOfReading;
  const std::int64_t multiplied = std::max(own.p.m, own.tiles() * paced_rows(0));
  return (double(multiplied) + kRowsOfPacking) * double(panels) + of_row * double(own.p.m);
}

/// That with the least cost, of cells that are worth a thread each.
template <class T>
GemmGrid<T> grid_of(const Multiplier<T>& whole, int threads) {
  const GemmProduct<T>& p = whole.p;
  const double flops = 2.0 * double(p.m) * double(paced_terms(p.k)) * double(p.n);
  const std::int64_t most =
      std::clamp(std::int64_t(flops / kGrainFlops), std::int64_t{1}, std::int64_t{threads});
  const GridSides sides = cheapest_sides(
      most, {p.m, whole.panels()}, [&](const GridSides& some) { return cost_of(whole, some); });
  return {whole, sides.rows, sides.columns};
}

}  // namespace siliconprof::cpu
