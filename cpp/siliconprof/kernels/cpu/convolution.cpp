#include "siliconprof/kernels/cpu/convolution.h"

#include <algorithm>
#include <vector>

#include "siliconprof/kernels/cpu/convolution_grid.h"
#include "siliconprof/kernels/cpu/convolution_weights.h"
#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/float_operands.h"
#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/kernels/cpu/gemm_panels.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/scratch.h"
#include "siliconprof/kernels/cpu/winograd.h"
#include "siliconprof/kernels/cpu/winograd_weights.h"

namespace siliconprof::cpu {
namespace {

constexpr std::int64_t kPairColumns = 8;
constexpr std::uintptr_t kLineBytes = 64;
// Up to this depth a store waits for its line longer than the line's results take.
constexpr std::int64_t kFetchedDepth = 128;
// How far ahead data is fetched: what memory takes to answer.
constexpr std::int64_t kAheadElements = 256;

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

double flops_of(const ConvolutionPlan& plan) {
  double flops = 0;
  for (const GridBlock& block : plan.blocks) {
    std::int64_t terms = 0;
    for (const GemmRun& run : block.runs) terms += run.k;
    flops += 2.0 * double(terms) * double(block.row_count * block.column_count);
  }
  return flops * double(plan.batch) * double(plan.columns);
}

/// Calls body(begin, end) on shares of the plan's stretches.
template <class Body>
void for_shares(const KernelCall& k, const ConvolutionPlan& plan, const Body& body) {
  if (plan.stretches == 0) return;
  run_by_flops(k, plan.stretches, flops_of(plan) / double(plan.stretches), body);
}

/// Weights of up to 8 columns in pairs of terms, for each block as its runs need them.
std::vector<std::vector<float>> pair_weights(const ConvolutionPlan& plan, const float* weight) {
  const auto value = [&](std::int64_t row, std::int64_t column) {
    const std::int64_t number = row / plan.depth;
    if (!plan.reversed) return weight[column * plan.taps * plan.depth + row];
    const std::int64_t output = row % plan.depth;
    return weight[(output * plan.taps + plan.taps - 1 - number) * plan.columns + column];
  };
  std::vector<std::vector<float>> packed;
  for (const GridBlock& block : plan.blocks) {
    std::vector<float>& to = packed.emplace_back();
    for (const GemmRun& run : block.runs) {
      for (std::int64_t i = 0; i < run.k; i += 2) {
        for (std::int64_t j = 0; j < kPairColumns; ++j) {
          for (std::int64_t term = i; term < i + 2; ++term) {
            const bool there = j < plan.columns && term < run.k;
            to.push_back(there ? value(run.b_at + term, j) : 0.0F);
          }
        }
      }
    }
  }
  return packed;
}

void convolve_to_few(const KernelCall& k, const ConvolutionPlan& plan, const float* in,
                     const float* weight, float* out) {
  constexpr std::int64_t kLine = 16;
  const GemmKernelSet& set = gemm_kernels();
  const auto packed = pair_weights(plan, weight);
  const bool stream = exceeds_cache(k) && plan.columns == kPairColumns;
  for_shares(k, plan, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t index = begin; index < end; ++index) {
      Stretch stretch;
      const GridBlock& block = plan.find(index, stretch);
      PairTile tile{in + stretch.input,
                    stretch.input_step,
                    packed[std::size_t(&block - plan.blocks.data())].data(),
                    block.runs.data(),
                    std::int64_t(block.runs.size()),
                    out + stretch.output,
                    stretch.output_step,
                    plan.columns};
      // The last of the rows under the windows is the one that was not read before.
      const std::int64_t newest = block.runs.empty() ? 0 : block.runs.back().a_at + kAheadElements;
      const bool fetch = block.axis == TileAxis::Column;
      const std::int64_t most = (block.rows + 1) / 2 * 2;  // results leave the registers by twos
      for (std::int64_t left = stretch.results; left > 0; left -= most) {
        const std::int64_t rows = std::min(left, most);
        tile.stream = stream && stretch.output_step == kPairColumns &&
                      reinterpret_cast<std::uintptr_t>(tile.c) % 64 == 0;
        tile.ahead = tile.a + newest;
        tile.ahead_lines = fetch ? (rows * stretch.input_step + kLine - 1) / kLine : 0;
        set.pairs[std::size_t(rows - 1)](tile);
        tile.a += rows * stretch.input_step;
        tile.c += rows * stretch.output_step;
      }
    }
    if (stream) set.fence();
  });
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
  tile.ahead_step = fetch ? (block.rows * stretch.output_step + depth - 1) / depth : 0;
  return tile;
}

template <class T>
void convolve(const KernelCall& k, ConvolutionPlan plan, const T* in, const T* weight,
              std::int64_t channels, T* out) {
  const GemmKernelSet& set = gemm_kernels();
  if constexpr (sizeof(T) == sizeof(float)) {
    if (plan.columns <= kPairColumns && set.pairs[0] != nullptr) {
      return convolve_to_few(k, plan, in, weight, out);
    }
  }
  const GemmKernels<T>& kernels = set.of<T>();
  const std::int64_t width = kernels.width();
  const std::int64_t depth = plan.taps * plan.depth;
  const std::int64_t panels = panel_count(plan.columns, width);
  T* packed = kernel_scratch().numbers<T>(panels * width * depth);
  pack_weights(k, plan, weight, channels, width, packed);
  for (GridBlock& block : plan.blocks) {
    for (GemmRun& run : block.runs) run.b_at *= width;
  }
  const std::int64_t together = panels_at_once(depth, width, sizeof(T));
  const bool stream = kernels.streams() && exceeds_cache(k) && plan.columns % kernels.lanes == 0 &&
                      reinterpret_cast<std::uintptr_t>(out) % kLineBytes == 0;
  for_shares(k, plan, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t group = 0; group < panels; group += together) {
      const std::int64_t last = std::min(panels, group + together);
      for (std::int64_t index = begin; index < end; ++index) {
        Stretch stretch;
        const GridBlock& block = plan.find(index, stretch);
        GemmTile<T> tile = tile_of<T>(block, stretch, width, depth, stream);
        const std::int64_t turn = kernels.walk.tiles_in_turn * block.rows;
        for (std::int64_t first = 0; first < stretch.results; first += turn) {
          const std::int64_t stop = std::min(stretch.results, first + turn);
          for (std::int64_t panel = group; panel < last; ++panel) {
            tile.b = packed + panel * depth * width;
            tile.columns = std::min(width, plan.columns - panel * width);
            const std::size_t vectors = tile.columns > kernels.lanes ? 2 : 1;
            for (std::int64_t row = first; row < stop; row += block.rows) {
              tile.a = in + stretch.input + row * stretch.input_step;
              tile.c = out + stretch.output + row * stretch.output_step + panel * width;
              const std::int64_t rows = std::min(stop - row, block.rows);
              if (tile.ahead_step > 0) tile.ahead = tile.c + block.rows * stretch.output_step;
              kernels.by_rows[vectors - 1][std::size_t(rows - 1)](tile);
            }
          }
        }
      }
    }
    if (stream) set.fence();
  });
}

template <class T>
bool done_by_winograd(const KernelCall& k, const Convolution& c, const WinogradPlan& plan,
                      const T* in, const T* weight, T* out) {
  return winograd_suits<T>(c) && convolve_by_winograd(k, plan, in, weight, out);
}

/// Of the weights in panels; none where they are in pairs.
template <class T>
std::int64_t panels_bytes(const Convolution& c, bool reversed) {
  const std::int64_t columns = reversed ? c.channels : c.outputs;
  const std::int64_t depth = c.rows.kernel * c.columns.kernel * (reversed ? c.outputs : c.channels);
  const bool in_pairs =
      sizeof(T) == sizeof(float) && columns <= kPairColumns && gemm_kernels().pairs[0] != nullptr;
  const std::int64_t width = gemm_kernels().of<T>().width();
  return in_pairs ? 0 : panel_count(columns, width) * width * depth * std::int64_t(sizeof(T));
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
  if (k.outputs[0].elements() == 0) return;
  const Convolution c = convolution_of(k.call);
  with_product_type(k, [&]<class T>(const auto& in, T* y) {
    if (done_by_winograd(k, c, winograd_convolution(c), in[0], in[1], y)) return;
    ConvolutionPlan plan =
        plan_convolution(c, gemm_kernels().of<T>().most_rows(c.outputs), sizeof(T));
    convolve<T>(k, std::move(plan), in[0], in[1], c.channels, y);
  });
}

void run_convolution_data_backward(const KernelCall& k) {
  if (k.outputs[0].elements() == 0) return;
  const Convolution c = convolution_of(k.call);
  with_product_type(k, [&]<class T>(const auto& in, T* dx) {
    if (done_by_winograd(k, c, winograd_data_backward(c), in[1], in[0], dx)) return;
    ConvolutionPlan plan =
        plan_data_backward(c, gemm_kernels().of<T>().most_rows(c.channels), sizeof(T));
    convolve<T>(k, std::move(plan), in[1], in[0], c.channels, dx);
  });
}

WinogradBytes convolution_bytes(const OpCall& call, int threads) {
  const Convolution c = convolution_of(call);
  const bool reversed = call.op->name.ends_with("_data_backward");
  const bool sums = call.op->name.ends_with("_weight_backward");
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
  if (k.outputs[0].elements() == 0) return;
  const Convolution c = convolution_of(k.call);
  with_product_type(k, [&]<class T>(const auto& in, T* dweight) {
    if (winograd_suits<T>(c) && sum_weights_by_winograd<T>(k, c, in[0], in[1], dweight)) return;
    sum_weight_gradient<T>(k, c, in[0], in[1], dweight);
  });
}

}  // namespace siliconprof::cpu
