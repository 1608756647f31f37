#include "siliconprof/kernels/cpu/winograd.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/kernels/cpu/gemm_panels.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/winograd_kernels.h"

namespace siliconprof::cpu {
namespace {

constexpr std::int64_t kProducts = kWinogradProducts;
constexpr std::int64_t kTaps = 9;
// Tiles of results that share a read of the weights' factors.
constexpr std::int64_t kMostTiles = 96;
constexpr std::int64_t kLeastTiles = 12;

template <class T>
struct Pass {
  const KernelCall& k;
  const WinogradPlan& p;
  const T* in;
  T* out;
  const T* weights;  // factors (products, panels, depth, width), then `depth` zeros
  const GemmKernels<T>& kernels = gemm_kernels().of<T>();
  const WinogradLoops<T>& loops = winograd_kernels().of<T>();
  std::int64_t width = kernels.width();
  WinogradTiles all = p.tiles();
  std::int64_t most_rows = kernels.most_rows(p.channels);

  const T* zeros() const { return weights + kProducts * p.depth * p.channels; }

  /// The factors of the data of tiles [begin, end): (products, tiles, depth).
  void transform_data(std::int64_t begin, std::int64_t end, T* to) const {
    const std::int64_t tiles = end - begin;
    const Images<const T> images{in, p.input_rows, p.input_columns, p.depth};
    for (std::int64_t index = begin; index < end; ++index) {
      WinogradTile first = all.at(index);
      first.row -= p.padding_rows;
      first.column -= p.padding_columns;
      const auto pixels = images.template square<4>(first, zeros());
      loops.from_data(pixels.data(), p.depth,
                      {to + (index - begin) * p.depth, tiles * p.depth + kWinogradGap, 0, p.depth});
    }
  }

  /// (products, tiles, channels) = (products, tiles, depth)·(products, depth, channels).
  void multiply(std::int64_t tiles, const T* data, T* products) const {
    const std::int64_t rows = even_part(tiles, most_rows);
    const GemmRun run{0, 0, p.depth};
    GemmTile<T> tile{nullptr, p.depth, nullptr, width, &run, 1, nullptr, p.channels, width};
    for (std::int64_t e = 0; e < kProducts; ++e) {
      for (std::int64_t column = 0; column < p.channels; column += width) {
        tile.b = weights + (e * p.channels + column) * p.depth;
        // The next panel comes from a farther cache meanwhile.
        tile.ahead = tile.b + width * p.depth;
        tile.ahead_step = width;
        for (std::int64_t row = 0; row < tiles; row += rows) {
          tile.a = data + e * (tiles * p.depth + kWinogradGap) + row * p.depth;
          tile.c = products + e * (tiles * p.channels + kWinogradGap) + row * p.channels + column;
          kernels.by_rows[1][std::size_t(std::min(rows, tiles - row) - 1)](tile);
          tile.ahead_step = 0;
        }
      }
    }
  }

  /// False where a result isn't finite.
  bool transform_results(std::int64_t begin, std::int64_t end, const T* products,
                         T* nowhere) const {
    const Images<T> images{out, p.rows, p.columns, p.channels};
    bool finite = true;
    for (std::int64_t index = begin; index < end; ++index) {
      const auto pixels = images.template square<2>(all.at(index), nowhere);
      finite &=
          loops.to_results(products + (index - begin) * p.channels,
                           (end - begin) * p.channels + kWinogradGap, p.channels, pixels.data());
    }
    return finite;
  }
};

/// Tiles of a block: as many as are worth a read of the weights, as many blocks for each thread.
std::int64_t tiles_of_block(const WinogradPlan& p, int threads) {
  const std::int64_t count = p.tiles().count();
  const std::int64_t blocks = panel_count(count, kMostTiles * threads) * threads;
  return std::max(kLeastTiles, panel_count(count, std::max<std::int64_t>(1, blocks)));
}

/// Of the data and of the products, and a place for results that aren't there.
std::int64_t block_elements(const WinogradPlan& p, int threads) {
  const std::int64_t tiles = tiles_of_block(p, threads);
  return kProducts * (tiles * (p.depth + p.channels) + 2 * kWinogradGap) + p.channels;
}

std::int64_t weight_elements(const WinogradPlan& p) {
  return kProducts * p.depth * p.channels + p.depth;
}

/// Weights (outputs, taps, channels) as factors in panels.
template <class T>
void transform_weights(const KernelCall& k, const WinogradPlan& p, const T* weight, T* to) {
  constexpr std::int64_t kStrip = 32;  // channels at a time, that stay in the first cache
  const auto& loops = winograd_kernels().of<T>();
  const std::int64_t width = gemm_kernels().of<T>().width();
  const auto pack = gemm_kernels().of<T>().pack;
  const std::int64_t product_step = p.depth * p.channels;
  const std::int64_t outputs = p.reversed ? p.depth : p.channels;
  const std::int64_t inputs = p.reversed ? p.channels : p.depth;
  const std::int64_t strips = panel_count(inputs, kStrip);
  const auto taps_at = [&](std::int64_t output, std::int64_t channel) {
    std::array<const T*, kTaps> taps;
    for (std::int64_t i = 0; i < kTaps; ++i) {
      taps[std::size_t(p.reversed ? kTaps - 1 - i : i)] =
          weight + (output * kTaps + i) * inputs + channel;
    }
    return taps;
  };
  parallel_shares(k.threads, outputs / width, 1, [&](std::int64_t begin, std::int64_t end, int) {
    std::array<T, kProducts * kStrip * 32> square;
    for (std::int64_t task = begin * strips; task < end * strips; ++task) {
      const std::int64_t output = task / strips * width;
      const std::int64_t channel = task % strips * kStrip;
      const std::int64_t n = std::min(kStrip, inputs - channel);
      for (std::int64_t o = 0; o < width; ++o) {
        const auto taps = taps_at(output + o, channel);
        if (p.reversed) {
          loops.from_weights(taps.data(), n,
                             {to + channel * p.depth + (output + o) * width, product_step,
                              p.depth * width, width});
        } else {
          loops.from_weights(taps.data(), n, {square.data() + o * n, n * width, 0, n});
        }
      }
      for (std::int64_t e = 0; e < kProducts && !p.reversed; ++e) {
        pack({square.data() + e * n * width, 1, n, n, width, width, width,
              to + e * product_step + output * p.depth + channel * width});
      }
    }
  });
  std::fill_n(to + kProducts * product_step, p.depth, T(0));
}

}  // namespace

WinogradPlan winograd_convolution(const Convolution& c) {
  return {c.batch,          c.channels,          c.rows.length,  c.columns.length,  c.outputs,
          c.rows.windows(), c.columns.windows(), c.rows.padding, c.columns.padding, false};
}

WinogradPlan winograd_data_backward(const Convolution& c) {
  return {c.batch,       c.outputs,        c.rows.windows(),   c.columns.windows(),   c.channels,
          c.rows.length, c.columns.length, 2 - c.rows.padding, 2 - c.columns.padding, true};
}

template <class T>
bool convolve_by_winograd(const KernelCall& k, const WinogradPlan& plan, const T* in,
                          const T* weight, T* out) {
  T* weights = kernel_scratch().numbers<T>(weight_elements(plan));
  transform_weights(k, plan, weight, weights);
  const Pass<T> pass{k, plan, in, out, weights};
  const std::int64_t each = tiles_of_block(plan, k.threads);
  const std::int64_t blocks = panel_count(plan.tiles().count(), each);
  std::atomic<bool> finite{true};
  const double flops = 2.0 * double(kProducts * each) * double(plan.depth * plan.channels);
  run_by_flops(k, blocks, flops, [&](std::int64_t begin, std::int64_t end) {
    T* data = winograd_scratch().numbers<T>(block_elements(plan, k.threads));
    T* products = data + kProducts * (each * plan.depth + kWinogradGap);
    T* nowhere = products + kProducts * (each * plan.channels + kWinogradGap);
    for (std::int64_t block = begin; block < end && finite.load(std::memory_order_relaxed);
         ++block) {
      const std::int64_t first = block * each;
      const std::int64_t last = std::min(plan.tiles().count(), first + each);
      pass.transform_data(first, last, data);
      pass.multiply(last - first, data, products);
      if (!pass.transform_results(first, last, products, nowhere)) finite = false;
    }
  });
  kernel_scratch().trim();
  return finite;
}

template <class T>
WinogradBytes winograd_bytes(const WinogradPlan& plan, int threads) {
  constexpr std::int64_t kBytes = sizeof(T);
  return {weight_elements(plan) * kBytes, threads * block_elements(plan, threads) * kBytes};
}

template bool convolve_by_winograd(const KernelCall&, const WinogradPlan&, const float*,
                                   const float*, float*);
template bool convolve_by_winograd(const KernelCall&, const WinogradPlan&, const double*,
                                   const double*, double*);
template WinogradBytes winograd_bytes<float>(const WinogradPlan&, int);
template WinogradBytes winograd_bytes<double>(const WinogradPlan&, int);

}  // namespace siliconprof::cpu
