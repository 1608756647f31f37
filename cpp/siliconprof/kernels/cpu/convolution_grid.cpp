#include "siliconprof/kernels/cpu/convolution_grid.h"

#include <algorithm>
#include <array>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/gemm_panels.h"

namespace siliconprof::cpu {
namespace {

// Enough tiles that finding their place costs nothing, few enough that threads share a line.
constexpr std::int64_t kTilesOfStretch = 8;
constexpr double kMuchBetter = 1.3;
// Of the first cache, on any CPU: results along an axis whose windows lie whole pages apart do so,
// too, and cost more than a fuller tile saves where there is room for more.
constexpr std::int64_t kFirstCacheBytes = std::int64_t{32} << 10;

/// Results [first, last) that see the input under a tap.
std::array<std::int64_t, 2> reach(const GridAxis& axis, const GridTap& tap) {
  const auto bound = [&](std::int64_t position) {
    return std::clamp<std::int64_t>(divided_up(position - tap.at, axis.input_step), 0,
                                    axis.results);
  };
  return {bound(0), bound(axis.input_length)};
}

/// The runs of a block, neighbours joined where both operands go on.
std::vector<GemmRun> make_runs(const GridAxis& rows, const GridRange& r, const GridAxis& columns,
                               const GridRange& q, const GridSteps& pixels,
                               const ConvolutionPlan& plan, std::int64_t kernel_w) {
  std::vector<GemmRun> runs;
  for (std::size_t s = r.first_tap; s < r.last_tap; ++s) {
    for (std::size_t t = q.first_tap; t < q.last_tap; ++t) {
      const std::int64_t number = rows.taps[s].tap * kernel_w + columns.taps[t].tap;
      const std::int64_t a_at = rows.taps[s].at * pixels.row + columns.taps[t].at * pixels.column;
      const std::int64_t b_at = (plan.reversed ? plan.taps - 1 - number : number) * plan.depth;
      if (!runs.empty() && runs.back().a_at + runs.back().k == a_at &&
          runs.back().b_at + runs.back().k == b_at) {
        runs.back().k += plan.depth;
      } else {
        runs.push_back({a_at, b_at, plan.depth});
      }
    }
  }
  return runs;
}

/// How many terms the runs have, and what of the input.
void sum_up_runs(GridBlock& block) {
  if (block.runs.empty()) return;
  block.sees = block.sees_end = block.runs.front().a_at;
  for (const GemmRun& run : block.runs) {
    block.terms += run.k;
    block.sees = std::min(block.sees, run.a_at);
    block.sees_end = std::max(block.sees_end, run.a_at + run.k);
  }
}

/// Along the columns, unless another axis fills tiles much better: its results are far apart.
void choose_tiles(GridBlock& block, std::int64_t batch, std::int64_t most_rows,
                  std::int64_t element_bytes) {
  struct Choice {
    TileAxis axis;
    std::int64_t length;
    std::int64_t lines;
  };
  const std::array choices{Choice{TileAxis::Column, block.column_count, block.row_count},
                           Choice{TileAxis::Row, block.row_count, block.column_count},
                           Choice{TileAxis::Image, batch, block.row_count * block.column_count}};
  std::int64_t best = 0;
  for (const Choice& choice : choices) {
    const std::int64_t step_bytes = block.input_steps.along(choice.axis) * element_bytes;
    const std::int64_t rows =
        even_part(choice.length, rows_that_fit(most_rows, step_bytes, kFirstCacheBytes));
    if (double(rows) < kMuchBetter * double(best) || rows == 0) continue;
    best = rows;
    block.axis = choice.axis;
    block.rows = rows;
    block.length = choice.length;
    block.most = rows * kTilesOfStretch;
    block.line_pieces = divided_up(choice.length, block.most);
    block.stretches = choice.lines * block.line_pieces;
  }
}

void add_blocks(ConvolutionPlan& plan, const GridAxis& rows, const GridAxis& columns,
                const GridSteps& input, const GridSteps& output, std::int64_t kernel_w,
                std::int64_t most_rows, std::int64_t element_bytes) {
  for (const GridRange& r : same_taps(rows)) {
    for (const GridRange& q : same_taps(columns)) {
      GridBlock block{};
      block.rows_begin = r.begin;
      block.row_count = r.end - r.begin;
      block.columns_begin = q.begin;
      block.column_count = q.end - q.begin;
      block.output = rows.first * output.row + columns.first * output.column;
      block.input_steps = {input.image, input.row * rows.input_step,
                           input.column * columns.input_step};
      block.output_steps = {output.image, output.row * rows.step, output.column * columns.step};
      block.runs = make_runs(rows, r, columns, q, input, plan, kernel_w);
      sum_up_runs(block);
      choose_tiles(block, plan.batch, most_rows, element_bytes);
      plan.blocks.push_back(std::move(block));
    }
  }
}

GridSteps steps(std::int64_t height, std::int64_t width, std::int64_t channels) {
  return {height * width * channels, width * channels, channels};
}

void count_stretches(ConvolutionPlan& plan) {
  for (const GridBlock& block : plan.blocks) {
    if (block.axis == TileAxis::Image) {
      plan.stretches += block.stretches;
    } else {
      plan.per_image += block.stretches;
    }
  }
  plan.stretches += plan.batch * plan.per_image;
}

}  // namespace

std::int64_t GridSteps::along(TileAxis axis) const {
  return axis == TileAxis::Column ? column : axis == TileAxis::Row ? row : image;
}

GridAxis window_grid(const WindowAxis& axis) {
  GridAxis grid{axis.windows(), 0, 1, axis.stride, axis.length, {}};
  for (std::int64_t t = 0; t < axis.kernel; ++t) grid.taps.push_back({t, t - axis.padding});
  return grid;
}

std::vector<GridAxis> data_grids(const WindowAxis& axis) {
  std::vector<GridAxis> grids;
  for (std::int64_t r = 0; r < std::min(axis.stride, axis.length); ++r) {
    GridAxis grid{divided_up(axis.length - r, axis.stride), r, axis.stride, 1, axis.windows(), {}};
    for (std::int64_t t = axis.kernel - 1; t >= 0; --t) {
      const std::int64_t start = r + axis.padding - t;
      if (start % axis.stride == 0) grid.taps.push_back({t, start / axis.stride});
    }
    grids.push_back(std::move(grid));
  }
  return grids;
}

std::vector<GridRange> same_taps(const GridAxis& axis) {
  std::vector<std::int64_t> bounds{0, axis.results};
  for (const GridTap& tap : axis.taps) {
    const auto [first, last] = reach(axis, tap);
    bounds.push_back(first);
    bounds.push_back(last);
  }
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  std::vector<GridRange> ranges;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    GridRange range{bounds[i], bounds[i + 1], 0, 0};
    const auto sees = [&](const GridTap& tap) {
      const std::int64_t position = tap.at + range.begin * axis.input_step;
      return position >= 0 && position < axis.input_length;
    };
    const auto begin = std::find_if(axis.taps.begin(), axis.taps.end(), sees);
    const auto end = std::find_if_not(begin, axis.taps.end(), sees);
    range.first_tap = std::size_t(begin - axis.taps.begin());
    range.last_tap = std::size_t(end - axis.taps.begin());
    ranges.push_back(range);
  }
  return ranges;
}

std::vector<GridAxis> parts_of_same_taps(const GridAxis& axis) {
  std::vector<GridAxis> parts;
  for (const GridRange& range : same_taps(axis)) {
    GridAxis part{range.end - range.begin,
                  axis.first + range.begin * axis.step,
                  axis.step,
                  axis.input_step,
                  axis.input_length,
                  {}};
    for (std::size_t tap = range.first_tap; tap < range.last_tap; ++tap) {
      const GridTap& found = axis.taps[tap];
      part.taps.push_back({found.tap, found.at + range.begin * axis.input_step});
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

const GridBlock& ConvolutionPlan::find(std::int64_t index, Stretch& stretch) const {
  const bool along_images = index >= batch * per_image;
  std::int64_t image = 0;
  if (along_images) {
    index -= batch * per_image;
  } else {
    image = index / per_image;
    index %= per_image;
  }
  auto block = blocks.begin();
  for (;; ++block) {
    if ((block->axis == TileAxis::Image) != along_images) continue;
    if (index < block->stretches) break;
    index -= block->stretches;
  }
  const std::int64_t line = index / block->line_pieces;
  const std::int64_t first = index % block->line_pieces * block->most;
  std::int64_t row = block->rows_begin;
  std::int64_t column = block->columns_begin;
  switch (block->axis) {
    case TileAxis::Column:
      row += line;
      column += first;
      break;
    case TileAxis::Row:
      row += first;
      column += line;
      break;
    case TileAxis::Image:
      image = first;
      row += line / block->column_count;
      column += line % block->column_count;
      break;
  }
  const auto at = [&](const GridSteps& s) {
    return image * s.image + row * s.row + column * s.column;
  };
  stretch = {at(block->input_steps), block->input_steps.along(block->axis),
             block->output + at(block->output_steps), block->output_steps.along(block->axis),
             std::min(block->most, block->length - first)};
  return *block;
}

double ConvolutionPlan::flops_of_stretch() const {
  double flops = 0;
  for (const GridBlock& block : blocks) {
    flops += 2.0 * double(block.terms) * double(block.row_count * block.column_count);
  }
  return stretches == 0 ? 0.0 : flops * double(batch) * double(columns) / double(stretches);
}

ConvolutionPlan plan_convolution(const Convolution& c, std::int64_t most_rows,
                                 std::int64_t element_bytes) {
  ConvolutionPlan plan{c.batch, c.channels, c.outputs, c.rows.kernel * c.columns.kernel,
                       false,   {},         0,         0};
  add_blocks(plan, window_grid(c.rows), window_grid(c.columns),
             steps(c.rows.length, c.columns.length, c.channels),
             steps(c.rows.windows(), c.columns.windows(), c.outputs), c.columns.kernel, most_rows,
             element_bytes);
  count_stretches(plan);
  return plan;
}

ConvolutionPlan plan_data_backward(const Convolution& c, std::int64_t most_rows,
                                   std::int64_t element_bytes) {
  ConvolutionPlan plan{c.batch, c.outputs, c.channels, c.rows.kernel * c.columns.kernel,
                       true,    {},        0,          0};
  for (const GridAxis& rows : data_grids(c.rows)) {
    for (const GridAxis& columns : data_grids(c.columns)) {
      add_blocks(plan, rows, columns, steps(c.rows.windows(), c.columns.windows(), c.outputs),
                 steps(c.rows.length, c.columns.length, c.channels), c.columns.kernel, most_rows,
                 element_bytes);
    }
  }
  count_stretches(plan);
  return plan;
}

}  // namespace siliconprof::cpu
