#include "siliconprof/kernels/cpu/convolution_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace siliconprof::cpu {
namespace {

const std::vector<WindowAxis> kAxes{{1, 1, 1, 0}, {7, 3, 1, 1}, {8, 3, 2, 1}, {4, 3, 1, 1},
                                    {9, 2, 3, 0}, {5, 5, 1, 4}, {11, 4, 2, 3}};

TEST(ConvolutionGrid, RangesCoverAllResultsAndNameTheTapsThatReachData) {
  for (const WindowAxis& axis : kAxes) {
    std::vector<GridAxis> grids = data_grids(axis);
    grids.push_back(window_grid(axis));
    for (const GridAxis& grid : grids) {
      std::int64_t next = 0;
      for (const GridRange& range : same_taps(grid)) {
        EXPECT_EQ(range.begin, next);
        next = range.end;
        for (std::int64_t m = range.begin; m < range.end; ++m) {
          for (std::size_t t = 0; t < grid.taps.size(); ++t) {
            const std::int64_t at = grid.taps[t].at + m * grid.input_step;
            EXPECT_EQ(at >= 0 && at < grid.input_length,
                      t >= range.first_tap && t < range.last_tap);
          }
        }
      }
      EXPECT_EQ(next, grid.results);
    }
  }
}

// Of 7 positions and windows of 3 with a border of 1: the first window, five, and the last.
TEST(ConvolutionGrid, PartsSeeNothingBesideTheInput) {
  const std::vector<GridAxis> parts = parts_of_same_taps(window_grid({7, 3, 1, 1}));
  ASSERT_EQ(parts.size(), 3);
  EXPECT_EQ(parts[0].results, 1);
  EXPECT_EQ(parts[1].results, 5);
  EXPECT_EQ(parts[1].first, 1);
  EXPECT_EQ(parts[2].first, 6);
  const auto taps = [](const GridAxis& part) {
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    for (const GridTap& tap : part.taps) all.emplace_back(tap.tap, tap.at);
    return all;
  };
  using Taps = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(taps(parts[0]), (Taps{{1, 0}, {2, 1}}));
  EXPECT_EQ(taps(parts[1]), (Taps{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(taps(parts[2]), (Taps{{0, 5}, {1, 6}}));
}

// Where a part's result lies, and what it sees, are those of the whole axis.
TEST(ConvolutionGrid, PartsKeepPlacesAndInput) {
  for (const WindowAxis& axis : kAxes) {
    for (const GridAxis& grid : data_grids(axis)) {
      std::int64_t next = 0;
      for (const GridAxis& part : parts_of_same_taps(grid)) {
        EXPECT_EQ(part.first, grid.first + next * grid.step);
        for (std::int64_t m = 0; m < part.results; ++m) {
          for (const GridTap& tap : part.taps) {
            const std::int64_t at = tap.at + m * part.input_step;
            EXPECT_TRUE(at >= 0 && at < part.input_length);
            const auto whole = std::find_if(grid.taps.begin(), grid.taps.end(),
                                            [&](const GridTap& t) { return t.tap == tap.tap; });
            EXPECT_EQ(at, whole->at + (next + m) * grid.input_step);
          }
        }
        next += part.results;
      }
      EXPECT_EQ(next, grid.results);
    }
  }
}

TEST(ConvolutionGrid, DataGridsUndoWindowGrids) {
  for (const WindowAxis& axis : kAxes) {
    std::vector<std::pair<std::int64_t, std::int64_t>> forward;  // (position, window) for each tap
    for (const GridTap& tap : window_grid(axis).taps) {
      for (std::int64_t i = 0; i < axis.windows(); ++i) {
        const std::int64_t position = tap.at + i * axis.stride;
        if (axis.has(position)) forward.emplace_back(position, i);
      }
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> backward;
    for (const GridAxis& grid : data_grids(axis)) {
      for (const GridTap& tap : grid.taps) {
        for (std::int64_t m = 0; m < grid.results; ++m) {
          const std::int64_t window = tap.at + m;
          if (window < 0 || window >= axis.windows()) continue;
          backward.emplace_back(grid.first + m * grid.step, window);
        }
      }
    }
    std::sort(forward.begin(), forward.end());
    std::sort(backward.begin(), backward.end());
    EXPECT_EQ(forward, backward);
  }
}

TEST(ConvolutionGrid, StretchesMeetEveryResultOnce) {
  for (const auto& [batch, rows, columns] :
       {std::tuple{std::int64_t{1}, WindowAxis{1, 1, 1, 0}, WindowAxis{300, 3, 1, 1}},
        std::tuple{std::int64_t{40}, WindowAxis{4, 3, 1, 1}, WindowAxis{4, 3, 1, 1}},
        std::tuple{std::int64_t{3}, WindowAxis{9, 3, 2, 1}, WindowAxis{20, 4, 2, 1}}}) {
    const Convolution c{batch, 5, 7, rows, columns};
    for (const bool backward : {false, true}) {
      const ConvolutionPlan plan =
          backward ? plan_data_backward(c, 6, 4) : plan_convolution(c, 6, 4);
      std::map<std::int64_t, int> met;
      for (std::int64_t i = 0; i < plan.stretches; ++i) {
        Stretch stretch;
        const GridBlock& block = plan.find(i, stretch);
        EXPECT_LE(block.rows, 6);
        EXPECT_GT(stretch.results, 0);
        for (std::int64_t r = 0; r < stretch.results; ++r) {
          ++met[stretch.output + r * stretch.output_step];
        }
      }
      const std::int64_t results = backward ? batch * rows.length * columns.length
                                            : batch * rows.windows() * columns.windows();
      EXPECT_EQ(std::int64_t(met.size()), results);
      for (const auto& [at, times] : met) {
        EXPECT_EQ(times, 1) << at;
        EXPECT_EQ(at % (backward ? 5 : 7), 0);
      }
    }
  }
}

TEST(ConvolutionGrid, TapsInARowAreOneRun) {
  const Convolution c{1, 5, 7, {9, 3, 1, 0}, {9, 3, 1, 0}};
  const ConvolutionPlan plan = plan_convolution(c, 14, 4);
  ASSERT_EQ(plan.blocks.size(), 1U);
  ASSERT_EQ(plan.blocks[0].runs.size(), 3U);
  EXPECT_EQ(plan.blocks[0].runs[1].a_at, 45);
  EXPECT_EQ(plan.blocks[0].runs[1].b_at, 15);
  EXPECT_EQ(plan.blocks[0].runs[1].k, 15);
  EXPECT_EQ(plan_data_backward(c, 14, 4).blocks[0].runs[0].k, 7);  // a corner sees one window
}

// Rows of 9 pixels of 5 channels: from the window's first pixel, up and left where it is padded, to
// the last channel of its last.
TEST(ConvolutionGrid, ABlockKnowsHowManyTermsItHasAndWhatItSees) {
  const auto inner = [](std::int64_t padding) {
    const WindowAxis axis{9, 3, 1, padding};
    const ConvolutionPlan plan = plan_convolution({1, 5, 7, axis, axis}, 14, 4);
    return *std::max_element(
        plan.blocks.begin(), plan.blocks.end(),
        [](const GridBlock& a, const GridBlock& b) { return a.terms < b.terms; });
  };
  for (const std::int64_t padding : {0, 1}) {
    const GridBlock block = inner(padding);
    EXPECT_EQ(block.terms, 9 * 5);
    EXPECT_EQ(block.sees, -padding * (45 + 5));
    EXPECT_EQ(block.sees_end, block.sees + 2 * 45 + 3 * 5);
  }
}

}  // namespace
}  // namespace siliconprof::cpu
