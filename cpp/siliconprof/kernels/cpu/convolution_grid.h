#pragma once

// The results of a convolution, or of its gradient for the data, as tiles of matrix products:
// results whose windows meet the same taps, next to each other along one axis.

#include <cstdint>
#include <vector>

#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/ops/convolution.h"

namespace siliconprof::cpu {

/// A tap, and the position of the input that result 0 of an axis sees under it.
struct GridTap {
  std::int64_t tap;
  std::int64_t at;
};

/// One axis: result m is at position first + m·step of the output and sees position
/// at + m·input_step of the input under a tap, where the input has it. Taps ascend by `at`.
struct GridAxis {
  std::int64_t results;
  std::int64_t first;
  std::int64_t step;
  std::int64_t input_step;
  std::int64_t input_length;
  std::vector<GridTap> taps;
};

/// Of a convolution: results are its windows, the input is the data.
GridAxis window_grid(const WindowAxis& axis);
/// Of the gradient for the data: the input are the windows, results the data, one axis for each
/// remainder by the stride.
std::vector<GridAxis> data_grids(const WindowAxis& axis);

/// Results [begin, end) that see the input under taps [first_tap, last_tap) and no others.
struct GridRange {
  std::int64_t begin;
  std::int64_t end;
  std::size_t first_tap;
  std::size_t last_tap;
};
std::vector<GridRange> same_taps(const GridAxis& axis);
/// Each of these as an axis of its own, with no tap that falls beside the input.
std::vector<GridAxis> parts_of_same_taps(const GridAxis& axis);

/// Along which axis a tile's rows lie.
enum class TileAxis : std::uint8_t { Column, Row, Image };

/// Elements between neighbours in an operand: of images, rows, columns.
struct GridSteps {
  std::int64_t image;
  std::int64_t row;
  std::int64_t column;

  std::int64_t along(TileAxis axis) const;
};

/// A rectangle of results of the same taps in each image, cut into tiles of up to `rows` results.
struct GridBlock {
  std::int64_t rows_begin;  // first result of the row axis, how many; of the column axis
  std::int64_t row_count;
  std::int64_t columns_begin;
  std::int64_t column_count;
  std::int64_t output;    // element of result (0, 0) of an image
  GridSteps input_steps;  // between results
  GridSteps output_steps;
  std::vector<GemmRun> runs;  // b_at counts rows of the packed weights
  std::int64_t terms;         // of all runs
  std::int64_t sees;          // first element of the input that result (0, 0) sees
  std::int64_t sees_end;      // past the last one
  TileAxis axis;
  std::int64_t rows;         // most results of a tile
  std::int64_t length;       // of a line of results along the axis
  std::int64_t most;         // results of a stretch: some tiles of a line
  std::int64_t line_pieces;  // stretches of a line
  std::int64_t stretches;    // in an image; in the whole block for tiles along images
};

/// Neighbouring results: where they are.
struct Stretch {
  std::int64_t input;
  std::int64_t input_step;
  std::int64_t output;
  std::int64_t output_step;
  std::int64_t results;
};

/// How weights are packed: rows of `depth` terms for tap (s, t), whose number among the packed taps
/// is s·kernel_w + t, counted from the last tap with `reversed`.
struct ConvolutionPlan {
  std::int64_t batch;
  std::int64_t depth;    // terms for each tap: channels of the input
  std::int64_t columns;  // channels of the results
  std::int64_t taps;
  bool reversed;
  std::vector<GridBlock> blocks;
  std::int64_t per_image;  // stretches within an image
  std::int64_t stretches;  // image after image, then those along images

  const GridBlock& find(std::int64_t index, Stretch& stretch) const;
  /// In the mean; 0 where there are none.
  double flops_of_stretch() const;
};

/// most_rows of a tile, bytes of an element.
ConvolutionPlan plan_convolution(const Convolution& c, std::int64_t most_rows,
                                 std::int64_t element_bytes);
ConvolutionPlan plan_data_backward(const Convolution& c, std::int64_t most_rows,
                                   std::int64_t element_bytes);

}  // namespace siliconprof::cpu
