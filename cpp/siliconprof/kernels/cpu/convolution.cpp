#include "siliconprof/kernels/cpu/convolution.h"

#include <algorithm>
#include <vector>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/convolution_grid.h"
#include "siliconprof/kernels/cpu/convolution_halves.h"
#include "siliconprof/kernels/cpu/convolution_narrow.h"
#include "siliconprof/kernels/cpu/convolution_weights.h"
#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/float_operands.h"
#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/kernels/cpu/gemm_panels.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/half_choice.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/scratch.h"
#include "siliconprof/kernels/cpu/winograd.h"
#include "siliconprof/kernels/cpu/winograd_weights.h"

namespace siliconprof::cpu {
namespace {

constexpr std::uintptr_t kLineBytes = 64;
// Up to this depth a store waits for its line longer than the line's results take.
constexpr std::int64_t kFetchedDepth = 128;

/// Weights (outputs, taps, channels) in panels, rows as the plan numbers them.
template <class T>
void pack_weights(const KernelCall& k, const ConvolutionPlan& plan, const T* weight,
                  std::int64_t channels, std::int64_t width, T* to) {
  const auto pack = gemm_kernels().of<T>().pack;
  const std::int64_t rows = plan.taps * plan.depth;
  const std::int64_t tasks = panel_count(plan.columns, width) * plan.taps;
  parallel_shares(k.threads, tasks, 4, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t panel = task / plan.taps;
      const std::int64_t tap = task % plan.taps;
      const std::int64_t number = plan.reversed ? plan.taps - 1 - tap : tap;
      const std::int64_t n = std::min(width, plan.columns - panel * width);
      T* out = to + (panel * rows + number * plan.depth) * width;
      // Terms are channels of an output, or outputs of a channel.
      const std::int64_t output_step = plan.taps * channels;
      const T* from = weight + tap * channels;
      if (plan.reversed) {
        pack({from + panel * width, output_step, 1, plan.depth, n, width, width, out});
      } else {
        pack(
            {from + panel * width * output_step, 1, output_step, plan.depth, n, width, width, out});
      }
    }
  });
}

/// The input that a stretch sees, where that is a line of windows beside each other, for so many
/// tiles of the one before it.
template <class T>
GemmFetch<T> fetch_of_input(const GridBlock& block, const Stretch& stretch, std::int64_t tiles,
                            std::int64_t terms, const T* in) {
  if (block.axis != TileAxis::Column || terms == 0) return {};
  const std::int64_t elements =
      block.sees_end - block.sees + (stretch.results - 1) * stretch.input_step;
  return GemmFetch<T>::shared_out(in + stretch.input + block.sees, elements, tiles, terms);
}

/// What the tiles of a stretch share.
template <class T>
GemmTile<T> tile_of(const GridBlock& block, const Stretch& stretch, std::int64_t width,
                    std::int64_t depth, bool stream) {
  GemmTile<T> tile{nullptr, stretch.input_step,  nullptr,
                   width,   block.runs.data(),   std::int64_t(block.runs.size()),
                   nullptr, stretch.output_step, 0};
  tile.stream = stream;
  // The lines of the next tile's results, shared out over the terms of this one.
  const bool fetch = !stream && depth > 0 && depth <= kFetchedDepth;
  tile.ahead_step = fetch ? divided_up(block.rows * stretch.output_step, depth) : 0;
  return tile;
}

/// A convolution whose weights lie in panels.
template <class T>
struct PanelPass {
  const ConvolutionPlan& plan;
  const T* in;
  const T* packed;
  T* out;
  std::int64_t width;
  std::int64_t depth;
  bool stream;
  const GemmKernels<T>& kernels = gemm_kernels().of<T>();

  /// Stretch number `index` of those up to `end`, for panels [panel, panel_end).
  void run(std::int64_t index, std::int64_t end, std::int64_t panel, std::int64_t panel_end) const {
    Stretch stretch;
    const GridBlock& block = plan.find(index, stretch);
    GemmTile<T> tile = tile_of<T>(block, stretch, width, depth, stream);
    GemmFetch<T> input;
    // 0.9 of the time where lines come from beyond a core's own caches.
    if (kernels.streams() && tile.ahead_step == 0 && index + 1 < end) {
      Stretch next;
      const GridBlock& following = plan.find(index + 1, next);
      const std::int64_t tiles = panel_count(stretch.results, block.rows) * (panel_end - panel);
      input = fetch_of_input(following, next, tiles, block.terms, in);
    }
    const bool asks_for_input = input.tiles > 0;
    const std::int64_t turn = kernels.walk.tiles_in_turn * block.rows;
    for (std::int64_t first = 0; first < stretch.results; first += turn) {
      const std::int64_t stop = std::min(stretch.results, first + turn);
      for (std::int64_t at = panel; at < panel_end; ++at) {
        tile.b = packed + at * depth * width;
        tile.columns = std::min(width, plan.columns - at * width);
        const std::size_t vectors = tile.columns > kernels.lanes ? 2 : 1;
        for (std::int64_t row = first; row < stop; row += block.rows) {
          tile.a = in + stretch.input + row * stretch.input_step;
          tile.c = out + stretch.output + row * stretch.output_step + at * width;
          const std::int64_t rows = std::min(stop - row, block.rows);
          if (asks_for_input) {
            input.ask(tile);
          } else if (tile.ahead_step > 0) {
            tile.ahead = tile.c + block.rows * stretch.output_step;
          }
          kernels.by_rows[vectors - 1][std::size_t(rows - 1)](tile);
        }
      }
    }
  }
};

template <class T>
void convolve_in_panels(const KernelCall& k, ConvolutionPlan plan, const T* in,
                        std::int64_t in_elements, const T* weight, std::int64_t channels, T* out) {
  const GemmKernelSet& set = gemm_kernels();
  const GemmKernels<T>& kernels = set.of<T>();
  const std::int64_t width = kernels.width();
  const std::int64_t depth = plan.taps * plan.depth;
  const std::int64_t panels = panel_count(plan.columns, width);
  T* packed = kernel_scratch().numbers<T>(panels * width * depth);
  pack_weights(k, plan, weight, channels, width, packed);
  for (GridBlock& block : plan.blocks) {
    for (GemmRun& run : block.runs) run.b_at *= width;
  }
  const std::int64_t room_bytes =
      panels_room_bytes(in_elements * std::int64_t(sizeof(T)), kernels.own_cache_bytes());
  const std::int64_t together = panels_at_once(depth, width, sizeof(T), room_bytes);
  const bool stream = kernels.streams() && tiles_exceed_cache(k) &&
                      plan.columns % kernels.lanes == 0 &&
                      reinterpret_cast<std::uintptr_t>(out) % kLineBytes == 0;
  const PanelPass<T> pass{plan, in, packed, out, width, depth, stream};
  run_by_flops(k, plan.stretches, plan.flops_of_stretch(),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t group = 0; group < panels; group += together) {
                   const std::int64_t last = std::min(panels, group + together);
                   for (std::int64_t i = begin; i < end; ++i) pass.run(i, end, group, last);
                 }
                 if (stream) set.fence();
               });
}

/// Or its gradient for the data, with the weights `reversed`.
template <class T>
void convolve(const KernelCall& k, const Convolution& c, bool reversed, const T* in,
              const T* weight, T* out) {
  const std::int64_t columns = reversed ? c.channels : c.outputs;
  const bool narrow = is_narrow(columns, sizeof(T));
  const GemmKernelSet& set = gemm_kernels();
  const std::int64_t rows = narrow ? set.narrow.rows : set.of<T>().most_rows(columns);
  ConvolutionPlan plan =
      reversed ? plan_data_backward(c, rows, sizeof(T)) : plan_convolution(c, rows, sizeof(T));
  if constexpr (sizeof(T) == sizeof(float)) {
    if (narrow) return convolve_narrow(k, plan, in, weight, out);
  }
  const std::int64_t in_elements = k.inputs[reversed ? 1 : 0].elements();
  convolve_in_panels(k, std::move(plan), in, in_elements, weight, c.channels, out);
}

template <class T>
bool done_by_winograd(const KernelCall& k, const Convolution& c, const WinogradPlan& plan,
                      const T* in, const T* weight, T* out) {
  return winograd_suits<T>(c) && convolve_by_winograd(k, plan, in, weight, out);
}

/// Of the weights in panels; none where narrow tiles have their own.
template <class T>
std::int64_t panels_bytes(const Convolution& c, bool reversed) {
  const std::int64_t columns = reversed ? c.channels : c.outputs;
  const std::int64_t depth = c.rows.kernel * c.columns.kernel * (reversed ? c.outputs : c.channels);
  const std::int64_t width = gemm_kernels().of<T>().width();
  return is_narrow(columns, sizeof(T))
             ? 0
             : panel_count(columns, width) * width * depth * std::int64_t(sizeof(T));
}

/// True where the results are there.
bool is_done_by_halves(const KernelCall& k) {
  return k.outputs[0].elements() == 0 ||
         (halves_suit_convolution(k.call) && convolve_halves(k, *half_machine()));
}

template <class Body>
void with_product_type(const KernelCall& k, const Body& body) {
  with_element_type(k.call.dtype, [&]<class E>() {
    using T = Accumulator<E>;
    with_float_operands<T>(k, [&](const auto& in, T* out) { body(in, out); });
  });
}

}  // namespace

void run_convolution(const KernelCall& k) {
  if (is_done_by_halves(k)) return;
  const Convolution c = convolution_of(k.call);
  with_product_type(k, [&]<class T>(const auto& in, T* y) {
    if (done_by_winograd(k, c, winograd_convolution(c), in[0], in[1], y)) return;
    convolve<T>(k, c, false, in[0], in[1], y);
  });
}

void run_convolution_data_backward(const KernelCall& k) {
  if (is_done_by_halves(k)) return;
  const Convolution c = convolution_of(k.call);
  with_product_type(k, [&]<class T>(const auto& in, T* dx) {
    if (done_by_winograd(k, c, winograd_data_backward(c), in[1], in[0], dx)) return;
    convolve<T>(k, c, true, in[1], in[0], dx);
  });
}

WinogradBytes convolution_bytes(const OpCall& call, int threads) {
  const Convolution c = convolution_of(call);
  const bool reversed = direction_of(call) == ConvolutionDirection::Data;
  const bool sums = direction_of(call) == ConvolutionDirection::Weights;
  const Poll none;
  WinogradBytes bytes;
  with_element_type(call.dtype, [&]<class E>() {
    using T = Accumulator<E>;
    if (winograd_suits<T>(c)) {
      const WinogradPlan plan = reversed ? winograd_data_backward(c) : winograd_convolution(c);
      bytes = sums ? winograd_sums_bytes<T>(c, threads) : winograd_bytes<T>(plan, threads);
    } else {
      bytes.shared = sums ? weight_sums_bytes<T>({call, {}, {}, threads, none}, c)
                          : panels_bytes<T>(c, reversed);
    }
  });
  return bytes;
}

void run_convolution_weight_backward(const KernelCall& k) {
  if (is_done_by_halves(k)) return;
  const Convolution c = convolution_of(k.call);
  with_product_type(k, [&]<class T>(const auto& in, T* dweight) {
    if (winograd_suits<T>(c) && sum_weights_by_winograd<T>(k, c, in[0], in[1], dweight)) return;
    sum_weight_gradient<T>(k, c, in[0], in[1], dweight);
  });
}

}  // namespace siliconprof::cpu
