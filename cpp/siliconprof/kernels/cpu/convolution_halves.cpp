#include "siliconprof/kernels/cpu/convolution_halves.h"

#include <algorithm>
#include <atomic>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/float_operands.h"
#include "siliconprof/kernels/cpu/half_choice.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/window_rows.h"
#include "siliconprof/ops/convolution.h"

namespace siliconprof::cpu {
namespace {

using Direction = ConvolutionDirection;

std::int64_t channels_of_data(const OpCall& call, const Convolution& c) {
  return direction_of(call) == Direction::Forward ? c.channels : c.outputs;
}

/// Of the data or of its gradient: what results are written to.
PlaneSizes result_planes(const OpCall& call, const Convolution& c) {
  if (direction_of(call) == Direction::Data) return {c.rows.length, c.columns.length, c.channels};
  return {c.rows.windows(), c.columns.windows(), c.outputs};
}

/// Sizes alone. The gradient for the data has as many products as the convolution: of its results
/// most see no window under a tap where windows are strides apart.
HalfProduct shape_of(const OpCall& call) {
  const Convolution c = convolution_of(call);
  const ProductShape shape = call.op->product(call);
  HalfProduct p{};
  p.dtype = call.dtype;
  p.m = direction_of(call) == Direction::Data ? c.batch * c.rows.windows() * c.columns.windows()
                                              : shape.m;
  p.k = shape.k;
  p.n = shape.n;
  return p;
}

/// Results of a convolution, or of the gradient for its data, whose taps are the same: one product.
struct Piece {
  GridAxis rows;
  GridAxis columns;

  /// Sizes alone.
  HalfProduct shape(const OpCall& call, const Convolution& c) const {
    HalfProduct p{};
    p.dtype = call.dtype;
    p.m = c.batch * rows.results * columns.results;
    p.k = std::int64_t(rows.taps.size() * columns.taps.size()) * channels_of_data(call, c);
    p.n = result_planes(call, c).channels;
    return p;
  }
};
using Pieces = std::vector<Piece>;

Pieces pairs_of(const std::vector<GridAxis>& rows, const std::vector<GridAxis>& columns) {
  Pieces pieces;
  for (const GridAxis& row : rows) {
    for (const GridAxis& column : columns) pieces.push_back({row, column});
  }
  return pieces;
}

/// Tiles that take as long: of a column of them, while the columns of its product are packed.
double tiles_of_column(const HalfProduct& p, double times_float32) {
  const double steps = double(divided_up(p.k, kPanelTerms));
  return steps * (double(divided_up(p.m, kPanelLines)) + times_float32 / 2);
}

double tiles_of_column(const OpCall& call, const Convolution& c, const Pieces& pieces,
                       double times_float32) {
  double tiles = 0;
  for (const Piece& piece : pieces) tiles += tiles_of_column(piece.shape(call, c), times_float32);
  return tiles;
}

/// Those of the same taps alone, unless it takes less to multiply zeros, too: few results a piece
/// are soon multiplied by weights that have to be packed anew.
Pieces pieces_of(const OpCall& call, const Convolution& c, const HalfTileKernels& tiles) {
  const bool forward = direction_of(call) == Direction::Forward;
  std::vector<GridAxis> rows = forward ? std::vector{window_grid(c.rows)} : data_grids(c.rows);
  std::vector<GridAxis> columns =
      forward ? std::vector{window_grid(c.columns)} : data_grids(c.columns);
  Pieces whole = pairs_of(rows, columns);
  const auto cut = [](const std::vector<GridAxis>& axes) {
    std::vector<GridAxis> parts;
    for (const GridAxis& axis : axes) {
      for (GridAxis& part : parts_of_same_taps(axis)) parts.push_back(std::move(part));
    }
    return parts;
  };
  Pieces parts = pairs_of(cut(rows), cut(columns));
  const double times = tiles.times_float32;
  if (tiles_of_column(call, c, parts, times) < tiles_of_column(call, c, whole, times)) return parts;
  return whole;
}

/// True where a window of the piece covers positions beside the data.
bool has_zeros(const Piece& piece) {
  const auto beside = [](const GridAxis& axis) {
    return std::any_of(axis.taps.begin(), axis.taps.end(), [&](const GridTap& tap) {
      const std::int64_t last = tap.at + (axis.results - 1) * axis.input_step;
      return axis.results > 0 && (tap.at < 0 || last >= axis.input_length);
    });
  };
  return beside(piece.rows) || beside(piece.columns);
}

/// True where an element has an exponent of all ones and, with kNan, a fraction.
template <bool kNan>
bool holds_no_number(const KernelCall& k, const TensorView& view) {
  constexpr std::uint16_t kInfinity = 0x7f80;
  constexpr std::uint16_t kMagnitude = 0x7fff;
  const auto* bits = view.as<const std::uint16_t>();
  std::atomic<bool> found = false;
  run_in_pieces(k, view.elements(), 2, [&](std::int64_t begin, std::int64_t end) {
    std::uint16_t any = 0;  // to the end, as vectors do
    for (std::int64_t i = begin; i < end; ++i) {
      any |= std::uint16_t(kNan ? (bits[i] & kMagnitude) > kInfinity
                                : (bits[i] & kInfinity) == kInfinity);
    }
    if (any != 0) found = true;
  });
  return found;
}

/// Results under no tap.
void write_zeros(const KernelCall& k, const HalfProduct& p) {
  run_in_pieces(k, p.m, 2 * p.n, [&](std::int64_t row, std::int64_t end) {
    while (row < end) {
      const PlacedRows place = p.places->from(row);
      const std::int64_t rows = std::min(place.rows, end - row);
      for (std::int64_t i = 0; i < rows; ++i) {
        std::fill_n(p.c + place.element + i * place.step, p.n, std::uint16_t{0});
      }
      row += rows;
    }
  });
}

/// A piece's product; its operands may be null where only sizes are asked for.
struct PieceProduct {
  WeightsByOutput by_output;
  WeightsByTap by_tap;
  WindowRows windows;
  GridPlaces places;
  HalfProduct product;

  PieceProduct(const OpCall& call, const Convolution& c, const Piece& piece,
               const std::uint16_t* weight, const std::uint16_t* data)
      : by_output(weight, c, piece.rows, piece.columns),
        by_tap(weight, c, piece.rows, piece.columns),
        windows(data, piece.rows, piece.columns, channels_of_data(call, c)),
        places(piece.rows, piece.columns, result_planes(call, c)),
        product(piece.shape(call, c)) {
    product.made_a = &windows;
    product.places = &places;
    if (direction_of(call) == Direction::Forward) {
      product.made_b_columns = &by_output;
    } else {
      product.made_b = &by_tap;
    }
  }
  PieceProduct(const PieceProduct&) = delete;
  PieceProduct& operator=(const PieceProduct&) = delete;
};

/// Of a convolution x comes first, of the gradient for its data the weight.
const TensorView& weight_of(const KernelCall& k) {
  return k.inputs[direction_of(k.call) == Direction::Forward ? 1 : 0];
}
const TensorView& data_of(const KernelCall& k) {
  return k.inputs[direction_of(k.call) == Direction::Forward ? 0 : 1];
}

bool sum_windows(const KernelCall& k, const Convolution& c, const Piece& piece,
                 const HalfMachine& machine) {
  PieceProduct p(k.call, c, piece, weight_of(k).as<const std::uint16_t>(),
                 data_of(k).as<const std::uint16_t>());
  p.product.c = k.outputs[0].as<std::uint16_t>();
  if (p.product.k > 0) return multiply_halves(k, p.product, machine);
  write_zeros(k, p.product);
  return true;
}

/// Of a convolution, or of the gradient for its data.
bool sum_pieces(const KernelCall& k, const Convolution& c, const HalfMachine& machine) {
  const Pieces pieces = pieces_of(k.call, c, *machine.tiles);
  if (std::any_of(pieces.begin(), pieces.end(), has_zeros) &&
      holds_no_number<false>(k, weight_of(k))) {
    return false;
  }
  return std::all_of(pieces.begin(), pieces.end(),
                     [&](const Piece& piece) { return sum_windows(k, c, piece, machine); });
}

WindowRows all_windows(const Convolution& c, const std::uint16_t* data) {
  return {data, window_grid(c.rows), window_grid(c.columns), c.channels};
}

/// Of the weights' gradient.
HalfProduct weights_product(const OpCall& call, const Convolution& c, const WindowRows& windows) {
  HalfProduct p = shape_of(call);
  p.a_row = 1;
  p.a_column = c.outputs;
  p.made_b = &windows;
  return p;
}

bool sum_weights(const KernelCall& k, const Convolution& c, const HalfMachine& machine) {
  const WindowRows windows = all_windows(c, k.inputs[0].as<const std::uint16_t>());
  HalfProduct p = weights_product(k.call, c, windows);
  p.a = k.inputs[1].as<const std::uint16_t>();
  p.c = k.outputs[0].as<std::uint16_t>();
  const Piece all{window_grid(c.rows), window_grid(c.columns)};
  // A zero that met an infinity made NaN of the sum: less is looked through than all cotangents.
  return multiply_halves(k, p, machine) &&
         !(has_zeros(all) && holds_no_number<true>(k, k.outputs[0]));
}

}  // namespace

bool halves_suit_convolution(const OpCall& call) {
  constexpr std::int64_t kLeastChannels = 32;
  constexpr std::int64_t kMostTaps = 64;  // of an axis: it is cut into about as many pieces
  if (call.dtype != Dtype::BFloat16 || half_machine() == nullptr) return false;
  const Convolution c = convolution_of(call);
  return std::min(c.channels, c.outputs) >= kLeastChannels &&
         std::max(c.rows.kernel, c.columns.kernel) <= kMostTaps && half_tiles_suit(shape_of(call));
}

bool convolve_halves(const KernelCall& k, const HalfMachine& machine) {
  const Convolution c = convolution_of(k.call);
  const bool done = direction_of(k.call) == Direction::Weights ? sum_weights(k, c, machine)
                                                               : sum_pieces(k, c, machine);
  wide_scratch().trim();
  return done;
}

HalfScratch convolution_half_scratch(const OpCall& call, const HalfMachine& machine, int threads) {
  const Convolution c = convolution_of(call);
  if (direction_of(call) == Direction::Weights) {
    const WindowRows windows = all_windows(c, nullptr);
    return half_scratch(weights_product(call, c, windows), machine, threads);
  }
  HalfScratch most{};
  for (const Piece& piece : pieces_of(call, c, *machine.tiles)) {
    const PieceProduct p(call, c, piece, nullptr, nullptr);
    const HalfScratch scratch = half_scratch(p.product, machine, threads);
    most.panels = larger_of(most.panels, scratch.panels);
    most.sums_bytes = std::max(most.sums_bytes, scratch.sums_bytes);
  }
  return most;
}

}  // namespace siliconprof::cpu
