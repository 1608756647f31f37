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
// From so many on a block is worth having all channels to itself: fewer tiles are shared by
// channels first, as each task has its part of the weights' factors from a farther cache (0.3 to
// 0.9 of the time on 16 threads of a Xeon).
constexpr std::int64_t kWorthTiles = 48;

struct Channels {
  std::int64_t begin;
  std::int64_t end;

  std::int64_t count() const { return end - begin; }
};

/// How results are shared: blocks of tiles, by parts of the channels.
struct Cut {
  std::int64_t tiles;  // of a block
  std::int64_t blocks;
  std::int64_t channels;  // of a part, whole panels
  std::int64_t parts;

  Cut(const WinogradPlan& p, std::int64_t width, int threads) {
    const std::int64_t count = p.tiles().count();
    const std::int64_t panels = panel_count(p.channels, width);
    std::int64_t wanted = 1;  // parts, of which threads have as many each
    while (wanted < std::min<std::int64_t>(threads, panels) &&
           (threads % wanted != 0 || count * wanted < kWorthTiles * threads)) {
      ++wanted;
    }
    channels = panel_count(panels, wanted) * width;
    parts = panel_count(p.channels, channels);
    const std::int64_t team = std::max<std::int64_t>(1, threads / parts);
    const std::int64_t least = panel_count(count, kMostTiles * team) * team;
    tiles = std::max(kLeastTiles, panel_count(count, std::max<std::int64_t>(1, least)));
    blocks = panel_count(count, tiles);
  }

  std::int64_t tasks() const { return blocks * parts; }
};

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

  /// (products, tiles, channels) = (products, tiles, depth)·(products, depth, channels), of some
  /// channels.
  void multiply(std::int64_t tiles, const Channels& some, const T* data, T* products) const {
    const std::int64_t rows = even_part(tiles, most_rows);
    const GemmRun run{0, 0, p.depth};
    GemmTile<T> tile{nullptr, p.depth, nullptr, width, &run, 1, nullptr, some.count(), width};
    for (std::int64_t e = 0; e < kProducts; ++e) {
      for (std::int64_t column = some.begin; column < some.end; column += width) {
        tile.b = weights + (e * p.channels + column) * p.depth;
        // The next panel comes from a farther cache meanwhile.
        tile.ahead = tile.b + width * p.depth;
        tile.ahead_step = width;
        for (std::int64_t row = 0; row < tiles; row += rows) {
          tile.a = data + e * (tiles * p.depth + kWinogradGap) + row * p.depth;
          tile.c = products + e * (tiles * some.count() + kWinogradGap) + row * some.count() +
                   (column - some.begin);
          kernels.by_rows[1][std::size_t(std::min(rows, tiles - row) - 1)](tile);
          tile.ahead_step = 0;
        }
      }
    }
  }

  /// False where a result isn't finite.
  bool transform_results(std::int64_t begin, std::int64_t end, const Channels& some,
                         const T* products, T* nowhere) const {
    const Images<T> images{out, p.rows, p.columns, p.channels};
    bool finite = true;
    for (std::int64_t index = begin; index < end; ++index) {
      auto pixels = images.template square<2>(all.at(index), nowhere);
      for (T*& pixel : pixels) pixel += some.begin;
      finite &= loops.to_results(products + (index - begin) * some.count(),
                                 (end - begin) * some.count() + kWinogradGap, some.count(),
                                 pixels.data());
    }
    return finite;
  }
};

/// Of the data and of the products, and a place for results that aren't there.
std::int64_t block_elements(const WinogradPlan& p, const Cut& cut) {
  return kProducts * (cut.tiles * (p.depth + cut.channels) + 2 * kWinogradGap) + p.channels;
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
  const Cut cut(plan, pass.width, k.threads);
  std::atomic<bool> finite{true};
  const double flops =
      2.0 * double(kProducts * cut.tiles) * double(plan.depth) * double(cut.channels);
  run_by_flops(k, cut.tasks(), flops, [&](std::int64_t begin, std::int64_t end) {
    T* data = winograd_scratch().numbers<T>(block_elements(plan, cut));
    T* products = data + kProducts * (cut.tiles * plan.depth + kWinogradGap);
    T* nowhere = products + kProducts * (cut.tiles * cut.channels + kWinogradGap);
    for (std::int64_t task = begin; task < end && finite.load(std::memory_order_relaxed); ++task) {
      const std::int64_t first = task / cut.parts * cut.tiles;
      const std::int64_t last = std::min(plan.tiles().count(), first + cut.tiles);
      const std::int64_t channel = task % cut.parts * cut.channels;
      const Channels some{channel, std::min(plan.channels, channel + cut.channels)};
      if (task == begin || some.begin == 0) pass.transform_data(first, last, data);
      pass.multiply(last - first, some, data, products);
      if (!pass.transform_results(first, last, some, products, nowhere)) finite = false;
    }
  });
  kernel_scratch().trim();
  return finite;
}

template <class T>
WinogradBytes winograd_bytes(const WinogradPlan& plan, int threads) {
  constexpr std::int64_t kBytes = sizeof(T);
  const Cut cut(plan, gemm_kernels().of<T>().width(), threads);
  return {weight_elements(plan) * kBytes, threads * block_elements(plan, cut) * kBytes};
}

template bool convolve_by_winograd(const KernelCall&, const WinogradPlan&, const float*,
                                   const float*, float*);
template bool convolve_by_winograd(const KernelCall&, const WinogradPlan&, const double*,
                                   const double*, double*);
template WinogradBytes winograd_bytes<float>(const WinogradPlan&, int);
template WinogradBytes winograd_bytes<double>(const WinogradPlan&, int);

}  // namespace siliconprof::cpu
