#include "siliconprof/kernels/cpu/half_product.h"

#include <algorithm>
#include <atomic>

#include "siliconprof/kernels/cpu/float_operands.h"
#include "siliconprof/kernels/cpu/gemm_panels.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/pieces.h"

namespace siliconprof::cpu {
namespace {

// Terms that are packed at once.
constexpr std::int64_t kDepth = 2048;
// Rows of C a thread whose sums wait for more terms, in float32.
constexpr std::int64_t kRowsOfThread = 2048;
// Rows in panels that stay in a core's second cache while columns pass by.
constexpr std::int64_t kRowsBytes = std::int64_t{512} << 10;
// Pieces of work for each thread, so that none waits long for another.
constexpr std::int64_t kPiecesOfThread = 8;
// Tiles take less time than the flops of run_by_flops.
constexpr double kTimesFaster = 16;
constexpr std::int64_t kTileSums = kPanelLines * kPanelLines;

constexpr std::int64_t parts_of(std::int64_t length, std::int64_t part) {
  return (length + part - 1) / part;
}

/// How a product is cut: panels of rows and columns, of rows so many to a group.
struct Plan {
  std::int64_t depth;
  std::int64_t panel_pairs;  // of a whole depth
  std::int64_t row_panels;
  std::int64_t column_panels;
  std::int64_t group_panels;

  Plan(const HalfProduct& p, int threads)
      : depth(std::min(p.k, kDepth)),
        panel_pairs(parts_of(depth, kPanelTerms) * half_parts(p.dtype) * kStepPairs),
        row_panels(parts_of(p.m, kPanelLines)),
        column_panels(parts_of(p.n, kPanelLines)) {
    const std::int64_t panel_bytes = std::max<std::int64_t>(1, panel_pairs * 4);
    const std::int64_t fit = std::max<std::int64_t>(1, kRowsBytes / panel_bytes);
    const std::int64_t even =
        std::max<std::int64_t>(1, row_panels * column_panels / (threads * kPiecesOfThread));
    group_panels = even_part(row_panels, std::min(fit, even));
  }

  std::int64_t groups() const { return parts_of(row_panels, group_panels); }
  bool keeps_sums(const HalfProduct& p) const { return p.k > depth; }
};

struct Multiplier {
  const HalfProduct& p;
  const HalfMachine& machine;
  const Plan& plan;
  std::uint32_t* columns;  // in panels, of the terms at work
  float* sums;             // of all tiles, where terms come in several turns
  std::int64_t term = 0;
  std::int64_t term_end = 0;

  const HalfPanels& panels() const { return machine.panels->of(p.dtype); }
  std::int64_t steps() const { return parts_of(term_end - term, kPanelTerms); }

  bool pack_columns(std::int64_t panel) const {
    const std::int64_t first = panel * kPanelLines;
    return panels().pack_columns({p.b + term * p.b_row + first * p.b_column, p.b_column, p.b_row,
                                  std::min(kPanelLines, p.n - first), term_end - term},
                                 columns + panel * plan.panel_pairs);
  }

  bool pack_rows(std::int64_t panel, std::uint32_t* to) const {
    const std::int64_t first = panel * kPanelLines;
    return panels().pack_rows({p.a + first * p.a_row + term * p.a_column, p.a_row, p.a_column,
                               std::min(kPanelLines, p.m - first), term_end - term},
                              to);
  }

  /// One tile of C: `rows` is a panel of A.
  void multiply(const std::uint32_t* rows, std::int64_t row_panel,
                std::int64_t column_panel) const {
    alignas(64) float own[kTileSums];
    float* c =
        sums == nullptr ? own : sums + (row_panel * plan.column_panels + column_panel) * kTileSums;
    machine.tiles->multiply({rows, columns + column_panel * plan.panel_pairs, steps(),
                             half_parts(p.dtype), c, term > 0});
    if (term_end < p.k) return;
    const std::int64_t row = row_panel * kPanelLines;
    const std::int64_t column = column_panel * kPanelLines;
    panels().write({c, p.bias == nullptr ? nullptr : p.bias + column, p.c + row * p.n + column, p.n,
                    std::min(kPanelLines, p.m - row), std::min(kPanelLines, p.n - column)});
  }

  /// Pieces [begin, end): panel of columns i % column_panels times group of rows i / column_panels.
  bool multiply_pieces(std::int64_t begin, std::int64_t end) const {
    auto* rows = reinterpret_cast<std::uint32_t*>(
        kernel_scratch().floats(plan.group_panels * plan.panel_pairs));
    bool good = true;
    machine.tiles->begin();
    while (begin < end) {
      const std::int64_t group = begin / plan.column_panels;
      const std::int64_t first = group * plan.group_panels;
      const std::int64_t count = std::min(plan.group_panels, plan.row_panels - first);
      for (std::int64_t i = 0; i < count; ++i) {
        good = pack_rows(first + i, rows + i * plan.panel_pairs) && good;
      }
      const std::int64_t group_end = std::min(end, (group + 1) * plan.column_panels);
      for (; begin < group_end; ++begin) {
        for (std::int64_t i = 0; i < count; ++i) {
          multiply(rows + i * plan.panel_pairs, first + i, begin % plan.column_panels);
        }
      }
    }
    machine.tiles->end();
    return good;
  }
};

/// The terms at work, by all threads.
bool multiply_terms(const KernelCall& k, const Multiplier& multiplier) {
  const Plan& plan = multiplier.plan;
  std::atomic<bool> good = true;
  run_in_pieces(k, plan.column_panels, plan.panel_pairs * 4,
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t i = begin; i < end; ++i) {
                    if (!multiplier.pack_columns(i)) good = false;
                  }
                });
  if (!good) return false;
  const double tile_flops = 2.0 * double(kTileSums) * double(plan.depth);
  run_by_flops(k, plan.groups() * plan.column_panels,
               tile_flops * double(plan.group_panels) / kTimesFaster,
               [&](std::int64_t begin, std::int64_t end) {
                 if (!multiplier.multiply_pieces(begin, end)) good = false;
               });
  return good;
}

/// Rows, of which all terms are added before the next come.
bool multiply_band(const KernelCall& k, const HalfProduct& p, const HalfMachine& machine) {
  const Plan plan(p, k.threads);
  Multiplier multiplier{p, machine, plan, nullptr, nullptr};
  multiplier.columns = reinterpret_cast<std::uint32_t*>(
      wide_scratch().operand(1, plan.column_panels * plan.panel_pairs));
  if (plan.keeps_sums(p)) {
    multiplier.sums = wide_scratch().result(plan.row_panels * plan.column_panels * kTileSums);
  }
  do {  // once for no terms at all
    if (multiplier.term_end > 0 && k.poll) k.poll();
    multiplier.term = multiplier.term_end;
    multiplier.term_end = std::min(p.k, multiplier.term + plan.depth);
    if (!multiply_terms(k, multiplier)) return false;
  } while (multiplier.term_end < p.k);
  return true;
}

/// What is multiplied at once: of a deep product no more than whose sums may wait.
std::int64_t most_rows(const HalfProduct& p, int threads) {
  return p.k > kDepth ? kRowsOfThread * threads : std::max<std::int64_t>(1, p.m);
}

HalfMachine best_machine() { return runnable_half_machines().front(); }

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

const HalfMachine* half_machine() {
  static const HalfMachine best = best_machine();
  return best.tiles->instruction_set == "generic" ? nullptr : &best;
}

// Measured on an Intel Xeon of family 6, model 207, on 2 and 16 threads.
bool half_tiles_suit(const HalfProduct& p) {
  if (half_machine() == nullptr) return false;
  const std::int64_t products = p.m * p.k * p.n;
  if (p.dtype == Dtype::Float16) {
    // Packing takes longer, and tiles multiply four times: elements must be used often.
    return products >= std::int64_t{1} << 23 && p.m * p.n >= 48 * (p.m + p.n);
  }
  return products >= std::int64_t{1} << 20 && std::max(p.m, p.n) >= 64;
}

std::string half_product_path(Dtype dtype) {
  if (half_machine() == nullptr) return "float32 accumulation after conversion";
  return dtype == Dtype::Float16 ? "amx tiles of high and low bfloat16 parts" : "amx tiles";
}

bool multiply_halves(const KernelCall& k, const HalfProduct& p, const HalfMachine& machine) {
  if (p.m == 0 || p.n == 0) return true;
  const std::int64_t most = most_rows(p, k.threads);
  for (std::int64_t row = 0; row < p.m; row += most) {
    if (row > 0 && k.poll) k.poll();
    HalfProduct band = p;
    band.m = std::min(most, p.m - row);
    band.a += row * p.a_row;
    band.c += row * p.n;
    if (!multiply_band(k, band, machine)) return false;
  }
  return true;
}

HalfScratch half_scratch(const HalfProduct& p, int threads) {
  HalfProduct band = p;
  band.m = std::min(p.m, most_rows(p, threads));
  const Plan plan(band, threads);
  const std::int64_t rows = plan.group_panels * plan.panel_pairs * 4;
  const std::int64_t tiles = plan.row_panels * plan.column_panels;
  return {.rows = {rows, threads > 1 ? rows : 0},
          .columns_bytes = plan.column_panels * plan.panel_pairs * 4,
          .sums_bytes = plan.keeps_sums(band) ? tiles * kTileSums * 4 : 0};
}

}  // namespace siliconprof::cpu
