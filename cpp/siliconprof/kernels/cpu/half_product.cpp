#include "siliconprof/kernels/cpu/half_product.h"

#include <algorithm>
#include <atomic>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/float_operands.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/half_plan.h"
#include "siliconprof/kernels/cpu/pieces.h"

namespace siliconprof::cpu {
namespace {

// Rows of C a thread whose sums wait for more terms, in float32.
constexpr std::int64_t kRowsOfThread = 2048;

/// Panels of rows by panels of columns.
struct Block {
  std::int64_t row;
  std::int64_t row_end;
  std::int64_t column;
  std::int64_t column_end;
};

/// Some terms of a product.
struct Turn {
  const HalfProduct& p;
  const HalfMachine& machine;
  const HalfPlan& plan;
  float* sums;                    // of a chunk's tiles, where they wait for more
  std::uint16_t* made = nullptr;  // the thread's room for what is made
  std::int64_t first = 0;         // terms of the chunk
  std::int64_t last = 0;
  std::int64_t term = 0;
  std::int64_t term_end = 0;

  const HalfPanels& panels() const { return machine.panels->of(p.dtype); }
  std::int64_t steps() const { return divided_up(term_end - term, kPanelTerms); }
  /// As others are paced by. Of a few terms it takes longer to write the results.
  double tile_flops() const {
    constexpr std::int64_t kTermsOfAWrite = 256;
    return 2.0 * double(kTileSums) * double(std::max(kTermsOfAWrite, term_end - term)) /
           machine.tiles->times_float32;
  }
  double packing_flops(std::int64_t count) const {
    return kFlopsBetweenPolls * double(count * plan.panel_pairs * 4) / double(kBytesBetweenPolls);
  }

  bool pack_columns(std::int64_t panel, std::int64_t panel_end, std::uint32_t* to) const {
    if (p.made_b != nullptr) return pack_made_terms(panel, panel_end, to);
    if (p.made_b_columns != nullptr) return pack_made_columns(panel, panel_end, to);
    return pack(panels().pack_columns,
                {p.b + term * p.b_row, p.b_column, p.b_row, p.n, term_end - term}, panel, panel_end,
                to);
  }
  bool pack_rows(std::int64_t panel, std::int64_t panel_end, std::uint32_t* to) const {
    if (p.made_a != nullptr) return make_row_panels(panel, panel_end, to);
    return pack(panels().pack_rows,
                {p.a + term * p.a_column, p.a_row, p.a_column, p.m, term_end - term}, panel,
                panel_end, to);
  }

  /// One tile of C: `rows` is a panel of A, `columns` one of B.
  void multiply(const std::uint32_t* rows, std::int64_t row_panel, const std::uint32_t* columns,
                std::int64_t column_panel) const {
    alignas(64) float own[kTileSums];
    float* c =
        sums == nullptr ? own : sums + (row_panel * plan.column_panels + column_panel) * kTileSums;
    machine.tiles->multiply({rows, columns, steps(), half_parts(p.dtype), c, term > first});
    if (term_end == last && plan.chunks == 1) write(c, row_panel, column_panel);
  }

  /// A tile's sums.
  void write(const float* c, std::int64_t row_panel, std::int64_t column_panel) const {
    std::int64_t row = row_panel * kPanelLines;
    const std::int64_t column = column_panel * kPanelLines;
    const std::int64_t end = std::min(p.m, row + kPanelLines);
    const std::int64_t columns = std::min(kPanelLines, p.n - column);
    const std::uint16_t* bias = p.bias == nullptr ? nullptr : p.bias + column;
    while (row < end) {
      PlacedRows place{row * p.n, p.n, end - row};
      if (p.places != nullptr) place = p.places->from(p.first_row + row);
      const std::int64_t rows = std::min(place.rows, end - row);
      panels().write({c, bias, p.c + place.element + column, place.step, rows, columns});
      c += rows * kPanelLines;
      row += rows;
    }
  }

  /// A block whose panels are packed. False where go_on(flops) says so.
  template <class GoOn>
  bool multiply(const Block& b, const std::uint32_t* rows, const std::uint32_t* columns,
                GoOn& go_on) const {
    for (std::int64_t column = b.column; column < b.column_end; ++column) {
      for (std::int64_t row = b.row; row < b.row_end; ++row) {
        multiply(rows + (row - b.row) * plan.panel_pairs, row, columns, column);
      }
      columns += plan.panel_pairs;
      if (!go_on(tile_flops() * double(b.row_end - b.row))) return false;
    }
    return true;
  }

 private:
  /// Rows go into panels as they are made: of a strip each is the pairs of a step together. Of what
  /// is left in a panel past the last row nothing is written.
  bool make_row_panels(std::int64_t panel, std::int64_t panel_end, std::uint32_t* to) const {
    for (; panel < panel_end; ++panel, to += plan.panel_pairs) {
      auto* elements = reinterpret_cast<std::uint16_t*>(to);
      const std::int64_t end = std::min(p.m, (panel + 1) * kPanelLines);
      const std::int64_t rows = end - panel * kPanelLines;
      for (std::int64_t row = 0; row < rows; row += kStripLines) {
        p.made_a->make(p.first_row + panel * kPanelLines + row, std::min(kStripLines, rows - row),
                       term, term_end - term,
                       {elements + row * kMadeChunk, kMadeChunk, 2 * kStepPairs});
      }
    }
    return true;
  }

  /// Lines are columns that are made, some of their terms at a time.
  bool pack_made_columns(std::int64_t panel, std::int64_t panel_end, std::uint32_t* to) const {
    for (; panel < panel_end; ++panel, to += plan.panel_pairs) {
      const std::int64_t line = panel * kPanelLines;
      const std::int64_t lines = std::min(kPanelLines, p.n - line);
      for (std::int64_t at = term; at < term_end; at += kMadeElements) {
        const std::int64_t terms = std::min(kMadeElements, term_end - at);
        const std::int64_t step = made_step(terms);
        p.made_b_columns->make(line, lines, at, terms, {made, step, kMadeChunk});
        panels().pack_columns({made, step, 1, lines, terms}, to + pairs_before(at));
      }
    }
    return true;
  }

  /// Terms are rows that are made, a step of them at a time for some panels of their columns.
  bool pack_made_terms(std::int64_t panel, std::int64_t panel_end, std::uint32_t* to) const {
    for (std::int64_t at = term; at < term_end; at += kPanelTerms) {
      const std::int64_t terms = std::min(kPanelTerms, term_end - at);
      for (std::int64_t from = panel; from < panel_end; from += kMadeElements / kPanelLines) {
        const std::int64_t column = from * kPanelLines;
        const std::int64_t columns =
            std::min({kMadeElements, p.n - column, (panel_end - from) * kPanelLines});
        const std::int64_t step = made_step(columns);
        p.made_b->make(at, terms, column, columns, {made, step, kMadeChunk});
        for (std::int64_t line = 0; line < columns; line += kPanelLines) {
          const std::int64_t lines = std::min(kPanelLines, columns - line);
          const std::int64_t number = from - panel + line / kPanelLines;
          std::uint32_t* out = to + number * plan.panel_pairs + pairs_before(at);
          panels().pack_columns({made + line, 1, step, lines, terms}, out);
        }
      }
    }
    return true;
  }

  /// Of a panel of bfloat16, before the term.
  std::int64_t pairs_before(std::int64_t at) const {
    return (at - term) / kPanelTerms * kStepPairs;
  }

  /// Panels of `all` lines one after the other; false where one can't be packed.
  bool pack(bool (*pack_panel)(const HalfLines&, std::uint32_t*), const HalfLines& all,
            std::int64_t panel, std::int64_t panel_end, std::uint32_t* to) const {
    bool good = true;
    for (; panel < panel_end; ++panel, to += plan.panel_pairs) {
      const std::int64_t first = panel * kPanelLines;
      HalfLines lines = all;
      lines.data += first * all.line_step;
      lines.lines = std::min(kPanelLines, all.lines - first);
      good = pack_panel(lines, to) && good;
    }
    return good;
  }
};

/// A thread's cell, by some columns at once and of these by turns of terms. False where an operand
/// can't be packed.
template <class GoOn>
bool multiply_cell(Turn turn, const Block& cell, std::uint32_t* room, GoOn& go_on) {
  const HalfPlan& plan = turn.plan;
  std::uint32_t* columns = room + plan.group_panels * plan.panel_pairs;
  turn.made = reinterpret_cast<std::uint16_t*>(columns + plan.columns_at_once * plan.panel_pairs);
  const bool rows_stay =
      cell.row_end - cell.row <= plan.group_panels && turn.last - turn.first <= plan.depth;
  bool good = true;
  for (std::int64_t first = cell.column; first < cell.column_end; first += plan.columns_at_once) {
    const std::int64_t last = std::min(cell.column_end, first + plan.columns_at_once);
    turn.term_end = turn.first;
    do {  // once for no terms at all
      turn.term = turn.term_end;
      turn.term_end = std::min(turn.last, turn.term + plan.depth);
      good = turn.pack_columns(first, last, columns) && good;
      if (!go_on(turn.packing_flops(last - first))) return good;
      for (std::int64_t row = cell.row; row < cell.row_end; row += plan.group_panels) {
        const std::int64_t row_end = std::min(cell.row_end, row + plan.group_panels);
        if (!rows_stay || first == cell.column) {
          good = turn.pack_rows(row, row_end, room) && good;
          if (!go_on(turn.packing_flops(row_end - row))) return good;
        }
        if (!good || !turn.multiply({row, row_end, first, last}, room, columns, go_on)) return good;
      }
      // A turn of all that is packed at once is due a poll.
      const double part = double(turn.term_end - turn.term) / double(kHalfDepth);
      if (turn.term_end < turn.last && !go_on(part * kFlopsBetweenPolls)) return good;
    } while (turn.term_end < turn.last);
  }
  return good;
}

/// Polls outside of the tiles' state.
struct TilePacer {
  Pacer pacer;
  const HalfTileKernels& tiles;

  bool operator()(double flops) {
    if (!pacer.is_due(flops)) return pacer(flops);
    tiles.end();
    const bool goes_on = pacer(flops);
    tiles.begin();
    return goes_on;
  }
};

/// Adds up what the chunks of a turn's product came to.
void write_chunks(const KernelCall& k, const Turn& turn) {
  const HalfPlan& plan = turn.plan;
  parallel_shares(k.threads, plan.tiles(), 1, [&](std::int64_t tile, std::int64_t end, int) {
    for (; tile < end; ++tile) {
      float* sum = turn.sums + tile * kTileSums;
      for (std::int64_t chunk = 1; chunk < plan.chunks; ++chunk) {
        const float* part = sum + chunk * plan.chunk_sums();
        for (std::int64_t i = 0; i < kTileSums; ++i) sum[i] += part[i];
      }
      turn.write(sum, tile / plan.column_panels, tile % plan.column_panels);
    }
  });
}

/// Rows, of which all terms are added before the next come.
bool multiply_band(const KernelCall& k, const HalfProduct& p, const HalfMachine& machine,
                   std::int64_t chunks) {
  const HalfPlan plan(p, *machine.tiles, k.threads, chunks);
  float* sums = nullptr;
  if (plan.keeps_sums()) {
    sums = wide_scratch().result(plan.chunks * plan.chunk_sums());
  }
  SharedPoll shared(k.poll);
  std::atomic<bool> good = true;
  parallel_shares(
      k.threads, plan.cells(), 1, [&](std::int64_t begin, std::int64_t end, int thread) {
        auto* room = reinterpret_cast<std::uint32_t*>(kernel_scratch().floats(plan.room()));
        machine.tiles->begin();
        TilePacer pacer{{shared, thread}, *machine.tiles};
        for (; begin < end && !shared.stopped(); ++begin) {
          const std::int64_t chunk = begin / (plan.grid.rows * plan.grid.columns);
          const std::int64_t row = begin / plan.grid.columns % plan.grid.rows;
          const std::int64_t column = begin % plan.grid.columns;
          const Block cell{plan.row_panels * row / plan.grid.rows,
                           plan.row_panels * (row + 1) / plan.grid.rows,
                           plan.column_panels * column / plan.grid.columns,
                           plan.column_panels * (column + 1) / plan.grid.columns};
          Turn turn{p, machine, plan, sums == nullptr ? nullptr : sums + chunk * plan.chunk_sums()};
          turn.first = chunk * plan.terms;
          turn.last = std::min(p.k, turn.first + plan.terms);
          if (!multiply_cell(turn, cell, room, pacer)) good = false;
        }
        machine.tiles->end();
      });
  shared.rethrow();
  if (good && plan.chunks > 1) write_chunks(k, {p, machine, plan, sums});
  return good;
}

/// What is multiplied at once: of a deep product no more than whose sums may wait.
std::int64_t most_rows(const HalfProduct& p, int threads) {
  return p.k > kHalfDepth ? kRowsOfThread * threads : std::max<std::int64_t>(1, p.m);
}

}  // namespace

HalfProduct half_product(Dtype dtype, const GemmProduct<float>& shape) {
  return {.dtype = dtype,
          .m = shape.m,
          .k = shape.k,
          .n = shape.n,
          .a = nullptr,
          .a_row = shape.a_row,
          .a_column = shape.a_column,
          .b = nullptr,
          .b_row = shape.b_row,
          .b_column = shape.b_column,
          .c = nullptr};
}

std::vector<HalfMachine> runnable_half_machines() {
  std::vector<HalfMachine> found;
  for (const HalfTileKernels* tiles : runnable_half_tiles()) {
    for (const HalfPanelKernels* panels : runnable_half_panels()) found.push_back({panels, tiles});
  }
  return found;
}

bool multiply_halves(const KernelCall& k, const HalfProduct& p, const HalfMachine& machine) {
  if (p.m == 0 || p.n == 0) return true;
  const std::int64_t chunks = chunks_of_terms(p);
  const std::int64_t most = most_rows(p, k.threads);
  for (std::int64_t row = 0; row < p.m; row += most) {
    if (row > 0 && k.poll) k.poll();
    HalfProduct band = p;
    band.m = std::min(most, p.m - row);
    band.first_row += row;
    if (p.made_a == nullptr) band.a += row * p.a_row;
    if (p.places == nullptr) band.c += row * p.n;
    if (!multiply_band(k, band, machine, chunks)) return false;
  }
  return true;
}

HalfScratch half_scratch(const HalfProduct& p, const HalfMachine& machine, int threads) {
  HalfScratch scratch{};
  if (p.n == 0) return scratch;
  const std::int64_t chunks = chunks_of_terms(p);
  const std::int64_t most = most_rows(p, threads);
  // All bands but the last have as many rows.
  for (const std::int64_t rows : {std::min(p.m, most), p.m % most}) {
    if (rows == 0) continue;
    HalfProduct band = p;
    band.m = rows;
    const HalfPlan plan(band, *machine.tiles, threads, chunks);
    scratch.panels =
        larger_of(scratch.panels, shared_bytes(plan.room() * 4, plan.cells(), threads));
    if (!plan.keeps_sums()) continue;
    scratch.sums_bytes = std::max(scratch.sums_bytes, plan.chunks * plan.chunk_sums() * 4);
  }
  return scratch;
}

}  // namespace siliconprof::cpu
