#include "siliconprof/kernels/cpu/half_plan.h"

#include <bit>
#include <numeric>

namespace siliconprof::cpu {
namespace {

// Rows in panels that stay in a core's second cache while columns pass by.
constexpr std::int64_t kRowsBytes = std::int64_t{512} << 10;
// The same of rows that are made, which takes longer the farther the panels are (2 to 5 % of a
// convolution on an AMD EPYC of family 25).
constexpr std::int64_t kMadeRowsBytes = std::int64_t{128} << 10;
// Columns in panels of a thread: so many that it takes little to pack rows again for the next.
constexpr std::int64_t kColumnsBytes = std::int64_t{8} << 20;
// Chunks of terms: few enough for their sums to stay small, of enough terms to be worth them.
constexpr std::int64_t kMostChunks = 16;
constexpr std::int64_t kTilesOfChunks = 4096;  // of sums, 16 MiB
constexpr std::int64_t kLeastTerms = 2048;
// Terms of a chunk that are packed at once: sums wait anyway, and panels stay nearer.
constexpr std::int64_t kChunkDepth = 1024;
constexpr std::int64_t kMadePairs = kPanelLines * made_step(kMadeElements) / 2;

/// What the busiest thread packs and multiplies takes the least. Measured on an Intel Xeon with
/// AMX: a panel of 768 terms is packed in the time of 4 tiles if it is of columns, of 1 of rows.
GridSides choose_grid(const HalfProduct& p, std::int64_t terms, const GridSides& panels,
                      double times_float32, int threads) {
  const double tiles_of_columns = times_float32 / 4;
  const double tiles_of_rows = times_float32 / 16;
  const double grains = 2.0 * double(p.m) * double(terms) * double(p.n) / kGrainFlops;
  const auto most =
      std::clamp(std::int64_t(grains / times_float32), std::int64_t{1}, std::int64_t{threads});
  const auto parts = double(half_parts(p.dtype));  // tiles multiply each by each
  return cheapest_sides(most, panels, [&](const GridSides& sides) {
    const auto of_rows = double(largest_share(panels.rows, sides.rows));
    const auto of_columns = double(largest_share(panels.columns, sides.columns));
    return of_rows * of_columns + (tiles_of_columns * of_columns + tiles_of_rows * of_rows) / parts;
  });
}

}  // namespace

std::int64_t chunks_of_terms(const HalfProduct& p) {
  const std::int64_t tiles = divided_up(p.m, kPanelLines) * divided_up(p.n, kPanelLines);
  const std::int64_t most =
      std::min(kTilesOfChunks / std::max<std::int64_t>(1, tiles), p.k / kLeastTerms);
  // A power of 2, as most numbers of threads are.
  return std::int64_t(
      std::bit_floor(std::uint64_t(std::clamp<std::int64_t>(most, 1, kMostChunks))));
}

HalfPlan::HalfPlan(const HalfProduct& p, const HalfTileKernels& tiles, int threads,
                   std::int64_t term_chunks)
    : chunks(term_chunks),
      terms(rounded_up(divided_up(p.k, chunks), kPanelTerms)),
      depth(std::min({p.k, terms, chunks > 1 ? kChunkDepth : kHalfDepth})),
      panel_pairs(divided_up(depth, kPanelTerms) * half_parts(p.dtype) * kStepPairs),
      row_panels(divided_up(p.m, kPanelLines)),
      column_panels(divided_up(p.n, kPanelLines)),
      grid(choose_grid(p, terms, {row_panels, column_panels}, tiles.times_float32,
                       int(threads / std::gcd(std::int64_t{threads}, chunks)))),
      made_pairs(p.makes() ? kMadePairs : 0) {
  const std::int64_t panel_bytes = std::max<std::int64_t>(1, panel_pairs * 4);
  const auto fit = [&](std::int64_t bytes) {
    return std::max<std::int64_t>(1, bytes / panel_bytes);
  };
  group_panels = even_part(cell_rows(), fit(p.made_a == nullptr ? kRowsBytes : kMadeRowsBytes));
  columns_at_once = even_part(cell_columns(), fit(kColumnsBytes));
}

}  // namespace siliconprof::cpu
