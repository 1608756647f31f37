#include "siliconprof/kernels/cpu/gemm_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace siliconprof::cpu {
namespace {

template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> values(n);
  for (T& value : values) value = T(uniform(random));
  return values;
}

struct Shape3 {
  std::int64_t rows;
  std::int64_t columns;
  std::vector<GemmRun> runs;
};

/// A tile by any of the loops against sums in float64, with and without all that is added.
template <class T>
void expect_tile(void (*tile)(const GemmTile<T>&), const Shape3& shape, bool by_rows,
                 std::int64_t width, bool extras) {
  const std::int64_t a_step = by_rows ? 61 : shape.rows + 3;
  const std::vector<T> a = random_values<T>(61 * 20, 1);
  const std::vector<T> b = random_values<T>(std::size_t(60 * width), 2);
  const std::vector<T> bias = random_values<T>(std::size_t(shape.columns), 3);
  const std::int64_t c_step = shape.columns + 5;
  std::vector<T> c = random_values<T>(std::size_t(shape.rows * c_step), 4);
  const std::vector<T> before = c;
  GemmTile<T> t{
      a.data(), a_step, b.data(),     width, shape.runs.data(), std::int64_t(shape.runs.size()),
      c.data(), c_step, shape.columns};
  t.bias = extras ? bias.data() : nullptr;
  t.accumulate = extras;
  tile(t);
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    for (std::int64_t j = 0; j < c_step; ++j) {
      const std::size_t at = std::size_t(r * c_step + j);
      if (j >= shape.columns) {
        ASSERT_EQ(c[at], before[at]) << "past the columns";
        continue;
      }
      const double added = extras ? double(bias[std::size_t(j)]) : 0.0;
      double sum = extras ? double(before[at]) + added : 0.0;
      double size = extras ? std::abs(double(before[at])) + std::abs(added) : 0.0;
      double terms = 3;
      for (const GemmRun& run : shape.runs) {
        for (std::int64_t k = 0; k < run.k; ++k, ++terms) {
          const std::int64_t in_a = run.a_at + (by_rows ? r * a_step + k : k * a_step + r);
          const double product =
              double(a[std::size_t(in_a)]) * double(b[std::size_t(run.b_at + k * width + j)]);
          sum += product;
          size += std::abs(product);
        }
      }
      const double u = double(std::numeric_limits<T>::epsilon()) / 2;
      ASSERT_LE(std::abs(double(c[at]) - sum), 2 * terms * u * size)
          << "row " << r << " column " << j << " of " << shape.rows << "x" << shape.columns;
    }
  }
}

template <class T>
void expect_all_tiles(const GemmKernels<T>& kernels) {
  const std::int64_t w = kernels.lanes;
  for (std::size_t vectors = 1; vectors <= kMostTileVectors; ++vectors) {
    for (std::int64_t rows = 1; rows <= kernels.rows[vectors - 1]; ++rows) {
      const auto full = std::int64_t(vectors) * w;
      for (const std::int64_t columns : {full, full - 1, full - w + 1}) {
        // No term, one, several runs of odd lengths.
        for (const std::vector<GemmRun>& runs :
             {std::vector<GemmRun>{}, {{3, 2 * w, 1}}, {{0, 0, 7}, {11, 5 * w, 0}, {2, w, 12}}}) {
          for (const bool extras : {false, true}) {
            const Shape3 shape{rows, columns, runs};
            const auto row = std::size_t(rows - 1);
            expect_tile(kernels.by_rows[vectors - 1][row], shape, true, full, extras);
            expect_tile(kernels.by_columns[vectors - 1][row], shape, false, full, extras);
          }
        }
      }
    }
  }
}

/// Panels by any of the loops: columns of the matrix however it is stored, then zeros.
template <class T>
void expect_panels(const GemmKernels<T>& kernels, std::int64_t k, std::int64_t n,
                   std::int64_t columns, bool by_columns) {
  const std::int64_t width = (columns + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
  const std::int64_t panels = (n + columns - 1) / columns;
  const std::int64_t step = (by_columns ? k : n) + 3;
  const std::vector<T> matrix = random_values<T>(std::size_t(step * (by_columns ? n : k)), 7);
  std::vector<T> to(std::size_t(panels * k * width) + 1, T(77));
  kernels.pack({matrix.data(), by_columns ? 1 : step, by_columns ? step : 1, k, n, columns, width,
                to.data()});
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    for (std::int64_t i = 0; i < k; ++i) {
      for (std::int64_t c = 0; c < width; ++c) {
        const std::int64_t j = panel * columns + c;
        const std::size_t at = std::size_t(by_columns ? j * step + i : i * step + j);
        const T expected = c < columns && j < n ? matrix[at] : T(0);
        ASSERT_EQ(to[std::size_t((panel * k + i) * width + c)], expected)
            << k << "x" << n << " in panels of " << columns << ": " << panel << " " << i << " "
            << c;
      }
    }
  }
  EXPECT_EQ(to.back(), T(77));
}

TEST(GemmKernels, PanelsAreTheColumnsOfTheMatrixHoweverItIsStoredAndThenZeros) {
  for (const GemmKernelSet* set : runnable_gemm_kernels()) {
    for (const std::int64_t k : {1, 5, 16, 37}) {
      for (const std::int64_t n : {1, 14, 32, 45}) {
        for (const bool by_columns : {false, true}) {
          expect_panels(set->float32, k, n, set->float32.width(), by_columns);
          expect_panels(set->float32, k, n, set->float32.rows[1], by_columns);
          expect_panels(set->float64, k, n, set->float64.width(), by_columns);
          expect_panels(set->float64, k, n, 5, by_columns);
        }
      }
    }
  }
}

TEST(GemmKernels, TilesOfEveryBuildAgreeWithSumsInFloat64) {
  for (const GemmKernelSet* set : runnable_gemm_kernels()) {
    SCOPED_TRACE(set->instruction_set);
    expect_all_tiles(set->float32);
    expect_all_tiles(set->float64);
  }
}

TEST(GemmKernels, TilesFetchAllThatIsSharedOutAmongThem) {
  const std::vector<float> lines(1000);
  const std::vector<float> own(1);
  auto fetch = GemmFetch<float>::shared_out(lines.data(), 1000, 3, 50);
  GemmTile<float> tile{};
  tile.a = own.data();
  for (const std::int64_t begin : {0, 334, 668}) {
    fetch.ask(tile);
    EXPECT_EQ(tile.ahead - lines.data(), begin);
    EXPECT_EQ(tile.ahead_step, 7) << "50 terms reach as far as the next tile's part";
  }
  fetch.ask(tile);
  EXPECT_EQ(tile.ahead, own.data());
  EXPECT_EQ(tile.ahead_step, 0);
}

TEST(GemmKernels, TilesFetchASecondStretchWhileThereIsOne) {
  const std::vector<float> lines(100);
  auto fetch = GemmFetch<float>::shared_out(lines.data(), 100, 2, 10);
  GemmTile<float> tile{};
  for (const std::int64_t begin : {0, 50}) {
    fetch.ask_too(tile);
    EXPECT_EQ(tile.also_ahead, lines.data() + begin);
  }
  EXPECT_EQ(tile.also_ahead_step, 5);
  fetch.ask_too(tile);
  EXPECT_EQ(tile.also_ahead, nullptr);
}

TEST(GemmKernels, WhatIsFetchedMeanwhileChangesNoSum) {
  constexpr std::int64_t kTerms = 9;  // a pair has no second
  for (const GemmKernelSet* set : runnable_gemm_kernels()) {
    const GemmKernels<float>& kernels = set->float32;
    const std::int64_t rows = kernels.rows[1];
    const std::int64_t width = kernels.width();
    const auto a = random_values<float>(std::size_t(rows * kTerms), 1);
    const auto b = random_values<float>(std::size_t(kTerms * width), 2);
    const GemmRun run{0, 0, kTerms};
    GemmTile<float> tile{a.data(), kTerms, b.data(), width, &run, 1, nullptr, width, width};
    const auto results = [&] {
      std::vector<float> c(std::size_t(rows * width));
      tile.c = c.data();
      kernels.by_rows[1][std::size_t(rows - 1)](tile);
      return c;
    };
    const std::vector<float> plain = results();
    tile.fetches_rows = true;
    EXPECT_EQ(results(), plain) << set->instruction_set;
    tile.also_ahead = b.data();
    EXPECT_EQ(results(), plain) << set->instruction_set;
  }
}

TEST(GemmKernels, ThereIsATileForEveryNumberOfRowsUpToTheMost) {
  for (const GemmKernelSet* set : runnable_gemm_kernels()) {
    for (std::size_t rows = 0; rows < kMostTileRows; ++rows) {
      for (std::size_t v = 0; v < kMostTileVectors; ++v) {
        const bool there = std::int64_t(rows) < set->float32.rows[v];
        EXPECT_EQ(set->float32.by_rows[v][rows] != nullptr, there);
        EXPECT_EQ(set->float32.by_columns[v][rows] != nullptr, there);
      }
    }
  }
}

TEST(GemmKernels, StoresPastTheCachesAreTheSame) {
  for (const GemmKernelSet* set : runnable_gemm_kernels()) {
    const GemmKernels<float>& kernels = set->float32;
    const std::int64_t width = kernels.width();
    const std::vector<float> a = random_values<float>(200, 1);
    const std::vector<float> b = random_values<float>(std::size_t(9 * width), 2);
    alignas(64) std::array<float, 64> kept{};
    alignas(64) std::array<float, 64> streamed{};
    const GemmRun run{0, 0, 9};
    GemmTile<float> tile{a.data(), 9, b.data(), width, &run, 1, kept.data(), 32, width};
    kernels.by_rows[1][1](tile);
    tile.c = streamed.data();
    tile.stream = true;
    kernels.by_rows[1][1](tile);
    set->fence();
    EXPECT_EQ(kept, streamed) << set->instruction_set;
  }
}

/// Terms of a run in the order of a narrow tile; -1 for none.
std::vector<std::int64_t> term_order(NarrowTerms terms, std::int64_t k, std::int64_t a_step) {
  std::vector<std::int64_t> order;
  for (std::int64_t first = 0; first < k;) {
    const std::int64_t steps = a_step > 0 ? std::min<std::int64_t>(3, (k - first) / a_step) : 0;
    if (terms == NarrowTerms::Pairs || steps == 0) {
      order.push_back(first++);
      continue;
    }
    for (std::int64_t i = 0; i < a_step; ++i) {
      for (std::int64_t t = 0; t < steps; ++t) order.push_back(first + t * a_step + i);
    }
    first += steps * a_step;
  }
  if (terms == NarrowTerms::Pairs && k % 2 == 1) order.push_back(-1);
  return order;
}

/// A has NaN wherever no term is: it must not be looked at.
struct NarrowExample {
  std::vector<float> a;
  std::vector<GemmRun> runs;
  std::vector<float> b;
  std::vector<double> expected;  // rows of 8

  NarrowExample(NarrowTerms terms, std::int64_t rows, std::int64_t columns, std::int64_t a_step,
                const std::vector<std::int64_t>& lengths)
      : a(1000, std::numeric_limits<float>::quiet_NaN()), expected(std::size_t(rows * 8), 0.0) {
    std::int64_t at = 0;
    for (const std::int64_t length : lengths) {
      runs.push_back({at, 0, length});
      at += length + 4;
    }
    for (const GemmRun& run : runs) {
      fill(rows, a_step, run);
      add(rows, columns, a_step, run);
      pack(term_order(terms, run.k, a_step), terms == NarrowTerms::Pairs ? 2 : 1, columns);
    }
  }

  static std::int64_t value(std::int64_t term, std::int64_t j) { return term % 7 + 2 * j - 3; }

  void fill(std::int64_t rows, std::int64_t a_step, const GemmRun& run) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t k = 0; k < run.k; ++k) {
        const std::int64_t at = run.a_at + r * a_step + k;
        a[std::size_t(at)] = float(at % 11 - 5);
      }
    }
  }
  void add(std::int64_t rows, std::int64_t columns, std::int64_t a_step, const GemmRun& run) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t j = 0; j < columns; ++j) {
        for (std::int64_t k = 0; k < run.k; ++k) {
          const double x = a[std::size_t(run.a_at + r * a_step + k)];
          expected[std::size_t(r * 8 + j)] += x * double(value(k, j));
        }
      }
    }
  }
  void pack(const std::vector<std::int64_t>& order, std::size_t together, std::int64_t columns) {
    for (std::size_t i = 0; i < order.size(); i += together) {
      for (std::int64_t j = 0; j < 8; ++j) {
        for (std::size_t t = i; t < i + together; ++t) {
          b.push_back(j < columns && order[t] >= 0 ? float(value(order[t], j)) : 0.0F);
        }
      }
    }
  }
};

void expect_narrow(const NarrowKernels& kernels, std::int64_t rows, std::int64_t columns,
                   std::int64_t a_step, const std::vector<std::int64_t>& lengths) {
  const NarrowExample e(kernels.terms, rows, columns, a_step, lengths);
  for (const std::int64_t c_step : {columns, columns + 2}) {
    std::vector<float> c(std::size_t(rows * c_step) + 1, 77.0F);
    kernels.by_rows[std::size_t(rows - 1)]({e.a.data(), a_step, e.b.data(), e.runs.data(),
                                            std::int64_t(e.runs.size()), c.data(), c_step,
                                            columns});
    for (std::int64_t i = 0; i < rows * c_step; ++i) {
      const std::int64_t j = i % c_step;
      const double value = j < columns ? e.expected[std::size_t(i / c_step * 8 + j)] : 77.0;
      ASSERT_EQ(double(c[std::size_t(i)]), value) << rows << " " << columns << " " << a_step;
    }
    EXPECT_EQ(c.back(), 77.0F);
  }
}

TEST(GemmKernels, NarrowTilesSumUpForAnyRunsStepsRowsAndColumns) {
  for (const GemmKernelSet* set : runnable_gemm_kernels()) {
    for (std::int64_t rows = 1; rows <= set->narrow.rows; ++rows) {
      for (std::int64_t columns = 1; columns <= 8; ++columns) {
        for (const std::int64_t a_step : {0, 1, 2, 3, 4, 40}) {
          for (const std::vector<std::int64_t>& lengths :
               {std::vector<std::int64_t>{}, {1}, {9}, {5, 2, 12, 3}, {29}}) {
            expect_narrow(set->narrow, rows, columns, a_step, lengths);
          }
        }
      }
    }
  }
}

TEST(GemmKernels, NarrowTilesPastTheCachesAreTheSame) {
  for (const GemmKernelSet* set : runnable_gemm_kernels()) {
    for (std::int64_t rows = 1; rows <= set->narrow.rows; ++rows) {
      const NarrowExample e(set->narrow.terms, rows, 8, 3, {9, 9, 9});
      alignas(64) std::array<float, 8 * kMostTileRows> c{};
      NarrowTile tile{e.a.data(), 3, e.b.data(), e.runs.data(), 3, c.data(), 8, 8};
      tile.stream = true;
      set->narrow.by_rows[std::size_t(rows - 1)](tile);
      set->fence();
      for (std::size_t i = 0; i < e.expected.size(); ++i) {
        ASSERT_EQ(double(c[i]), e.expected[i]) << rows << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
