#include "siliconprof/kernels/cpu/gemm_grid.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace siliconprof::cpu {
namespace {

GemmProduct<float> product(std::int64_t m, std::int64_t k, std::int64_t n) {
  return {.m = m,
          .k = k,
          .n = n,
          .a = nullptr,
          .a_row = k,
          .a_column = 1,
          .b = nullptr,
          .b_row = 1,
          .b_column = k,
          .c = nullptr,
          .c_row = n};
}

struct Sides {
  std::int64_t rows;
  std::int64_t columns;
  bool operator==(const Sides&) const = default;
};

Sides sides(std::int64_t m, std::int64_t k, std::int64_t n, int threads) {
  const GemmProduct<float> p = product(m, k, n);
  const Multiplier<float> whole{p, false};
  const GemmGrid<float> grid = grid_of(whole, threads);
  return {grid.rows, grid.columns};
}

TEST(GemmGrid, CellsAreWhatTakesLeastToBringTogether) {
  EXPECT_EQ(sides(100000, 64, 64, 16), (Sides{16, 1})) << "tall";
  EXPECT_EQ(sides(100, 700, 40000, 16), (Sides{1, 16})) << "wide";
  // Of narrower vectors a panel is narrower, and there are more of them than rows.
  const Sides square = sides(2048, 512, 2048, 16);
  if (cpu_features().has_avx512_kernels()) {
    EXPECT_EQ(square, (Sides{4, 4}));
  }
  EXPECT_EQ(square.rows * square.columns, 16);
  EXPECT_GT(square.rows, 1);
  EXPECT_GT(square.columns, 1);
  EXPECT_EQ(sides(256, 768, 768, 2), (Sides{1, 2})) << "fewer rows than columns";
}

TEST(GemmGrid, ThereAreNoMoreCellsThanAreWorthAThread) {
  EXPECT_EQ(sides(50, 50, 50, 16), (Sides{1, 1}));  // 0.25 MFLOP
  const Sides some = sides(100, 100, 100, 16);      // 2 MFLOP
  EXPECT_EQ(some.rows * some.columns, 4);
  EXPECT_EQ(sides(3, 0, 5, 16), (Sides{1, 1}));
}

// Each number of C is in one strip of one cell.
TEST(GemmGrid, CellsCoverTheResultsOnce) {
  float c = 0;  // where C would begin
  for (const std::int64_t m : {1, 13, 100, 70001}) {
    GemmProduct<float> p = product(m, 300, 500);
    p.a_row = 1;
    p.a_column = m;
    p.c = &c;
    const Multiplier<float> whole{p, false};
    const GemmGrid<float> grid{whole, std::min<std::int64_t>(m, 3), 5};
    EXPECT_EQ(grid.strips_of_cell > 1, m == 70001);
    std::int64_t rows = 0;
    for (std::int64_t row = 0; row < grid.rows; ++row) {
      for (std::int64_t i = 0; i < grid.strips_of_cell; ++i) {
        const GemmStrip<float> strip = grid.strip(row, i);
        const GemmProduct<float>& piece = strip.multiplier().p;
        EXPECT_EQ(std::intptr_t(piece.c) - std::intptr_t(&c), rows * 500 * std::int64_t(sizeof c));
        EXPECT_LE(strip.room(), grid.longest_strip().room());
        rows += piece.m;
      }
    }
    EXPECT_EQ(rows, m);
    EXPECT_EQ(grid.panel(0), 0);
    EXPECT_EQ(grid.panel(5), whole.panels());
  }
}

TEST(GemmGrid, TurnsCoverTheirCellAndAreWorthToBeTaken) {
  for (const auto& [m, k, n] : {std::array<std::int64_t, 3>{1024, 768, 3072},
                                {256, 3000, 768},
                                {100000, 64, 64},
                                {300, 40, 30},
                                {5000, 0, 70}}) {
    const GemmProduct<float> p = product(m, k, n);
    const Multiplier<float> whole{p, false};
    const GemmGrid<float> grid = grid_of(whole, 16);
    const std::int64_t groups = grid.turns_of_cell() / grid.strips_of_cell;
    EXPECT_GE(groups * grid.panels_of_turn, grid.cell_panels());
    EXPECT_LT((groups - 1) * grid.panels_of_turn, grid.cell_panels());
    const double flops = 2.0 * double(m * k * n) / double(grid.cells());
    const bool is_little = flops < 8e6;
    EXPECT_TRUE(!is_little || grid.turns_of_cell() == 1) << m;
  }
  const GemmProduct<float> p = product(2048, 700, 2048);
  const Multiplier<float> large{p, false};
  // Panels of narrower vectors are narrower: all of a cell's may have to meet its rows at once.
  if (cpu_features().has_avx512_kernels()) {
    EXPECT_GE(grid_of(large, 16).turns_of_cell(), 4);
  }
  const GemmProduct<float> few = product(500, 700, 8192);  // rows: no polls ask for strips of them
  EXPECT_EQ(grid_of(Multiplier<float>{few, false}, 1).turns_of_cell(), 1) << "nobody else is there";
}

// Blocks of terms decide how sums are rounded.
TEST(GemmGrid, AStripSumsAsTheWholeDoes) {
  GemmProduct<float> p = product(1000, 3000, 500);
  p.a_row = 1;
  p.a_column = 1000;
  Multiplier<float> whole{p, false};
  whole.choices.packs_a = !whole.choices.packs_a;  // other than a strip would choose
  whole.choices.depth = 77;
  const GemmStrip<float> strip(whole, 990, 1000);
  EXPECT_EQ(strip.multiplier().choices.packs_a, whole.choices.packs_a);
  EXPECT_EQ(strip.multiplier().choices.depth, whole.choices.depth);
  EXPECT_EQ(strip.multiplier().width, whole.width);
}

GemmProduct<float> by_rows(std::int64_t m, std::int64_t k, std::int64_t n) {
  GemmProduct<float> p = product(m, k, n);
  p.b_row = n;
  p.b_column = 1;
  return p;
}

// A short strip of many has few tiles, a longer one too many to want B in long runs.
TEST(GemmGrid, NoStripTakesMoreRoomThanTheLongest) {
  for (const auto& [m, k, n, threads] : {std::array<std::int64_t, 4>{169, 1024, 3200, 16},
                                         {253, 768, 896, 3},
                                         {84, 1024, 3200, 2}}) {
    const GemmProduct<float> p = by_rows(m, k, n);
    const Multiplier<float> whole{p, false};
    const GemmGrid<float> grid = grid_of(whole, int(threads));
    for (std::int64_t row = 0; row < grid.rows; ++row) {
      for (std::int64_t i = 0; i < grid.strips_of_cell; ++i) {
        EXPECT_LE(grid.strip(row, i).room(), grid.longest_strip().room()) << m;
      }
    }
  }
}

TEST(GemmGrid, AFarMatrixThatOneTileMeetsIsReadInOrder) {
  const GemmKernels<float>& kernels = gemm_kernels().float32;
  if (kernels.own_cache_bytes() == 0) GTEST_SKIP() << "no cache of a core's own";
  const std::int64_t far = 2 * kernels.own_cache_bytes() / std::int64_t(sizeof(float));
  const std::int64_t k = far / 512 + 1;
  const auto depth_of = [](const GemmProduct<float>& p) {
    return Multiplier<float>{p, false}.choices.depth;
  };
  constexpr std::int64_t kInOrder = Multiplier<float>::kRowsReadAhead;
  EXPECT_EQ(depth_of(by_rows(9, k, 512)), kInOrder);
  const GemmProduct<float> one_tile = by_rows(9, k, 512);
  EXPECT_TRUE((Multiplier<float>{one_tile, false}.b_is_ready())) << "where it lies";
  EXPECT_GT(depth_of(product(9, k, 512)), kInOrder) << "columns are read along";
  EXPECT_GT(depth_of(by_rows(9, k / 4, 512)), kInOrder) << "stays in the cache";
  const GemmProduct<float> two_tiles = by_rows(30, k, 512);
  EXPECT_GT(depth_of(two_tiles), kInOrder);
  EXPECT_FALSE((Multiplier<float>{two_tiles, false}.b_is_ready())) << "in panels";
  const GemmProduct<float> near = by_rows(30, k / 4, 512);
  EXPECT_TRUE((Multiplier<float>{near, false}.b_is_ready()));

  GemmProduct<float> turned = by_rows(9, k, 512);
  turned.a_row = 1;
  turned.a_column = 9;
  EXPECT_EQ(depth_of(turned), kInOrder) << "one tile doesn't repay it to bring A together";
  GemmProduct<float> tall = by_rows(512, k + 1, 20);
  EXPECT_GT(depth_of(tall), kInOrder);
  tall.a_row = 1;
  tall.a_column = 512;
  EXPECT_EQ(depth_of(tall), kInOrder);
  tall.k = k / 4 * 3;
  EXPECT_GT(depth_of(tall), kInOrder) << "two threads' halves stay";
}

// Its sums go by the whole's choices, though it alone would be read in order.
TEST(GemmGrid, AStripOfOneTileIsReadAsTheWholeIs) {
  const GemmProduct<float> p = by_rows(16, 40000, 512);
  const Multiplier<float> whole{p, false};
  const GemmStrip<float> strip(whole, 8, 16);
  EXPECT_EQ(strip.multiplier().choices.reads_b_in_order, whole.choices.reads_b_in_order);
  EXPECT_EQ(strip.multiplier().choices.packs_long_runs, whole.choices.packs_long_runs);
  EXPECT_EQ(strip.multiplier().choices.depth, whole.choices.depth);
}

}  // namespace
}  // namespace siliconprof::cpu
