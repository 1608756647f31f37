#include "siliconprof/kernels/cpu/winograd_weights.h"

#include <algorithm>
#include <atomic>
#include <tuple>

#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/kernels/cpu/gemm_panels.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/scratch.h"
#include "siliconprof/kernels/cpu/winograd_kernels.h"

namespace siliconprof::cpu {
namespace {

constexpr std::int64_t kProducts = kWinogradProducts;
// Tiles whose factors, of some channels of either operand, stay in the first cache.
constexpr std::int64_t kGroupTiles = 96;
// Outputs that a task works on: a panel of the data's factors meets them all.
constexpr std::int64_t kTaskOutputs = 64;
// Factors of groups of tiles that threads share between two meetings, where there are too few
// chunks for all of them: at least so many, and of each thread.
constexpr std::int64_t kRoundBytes = std::int64_t{4} << 20;
constexpr std::int64_t kRoundBytesOfThread = std::int64_t{512} << 10;
// Chunks of groups have sums of their own, as long as these stay small.
constexpr std::int64_t kMostChunks = 16;
constexpr std::int64_t kPartialElements = std::int64_t{4} << 20;

/// Factors of a group: (products, panels of channels, tiles, width).
template <class T>
struct Sums {
  const KernelCall& k;
  const Convolution& c;
  const T* x;
  const T* dy;
  const GemmKernels<T>& kernels = gemm_kernels().of<T>();
  const WinogradLoops<T>& loops = winograd_kernels().of<T>();
  std::int64_t width = kernels.width();
  WinogradTiles all = WinogradTiles::of_results(c.batch, c.rows.windows(), c.columns.windows());

  static std::int64_t product_step(std::int64_t channels) {
    return kGroupTiles * channels + kWinogradGap;
  }
  std::int64_t data_elements() const { return kProducts * product_step(c.channels); }
  std::int64_t slope_elements() const { return kProducts * product_step(c.outputs); }
  std::int64_t group_elements() const { return data_elements() + slope_elements(); }
  std::int64_t sum_elements() const { return kProducts * c.outputs * c.channels; }
  std::int64_t groups() const { return panel_count(all.count(), kGroupTiles); }
  /// Of whatever thread, as sums are added up group by group.
  std::int64_t tiles_of_group() const { return even_part(tiles_of_chunk(), kGroupTiles); }
  std::int64_t groups_of_round() const {
    const std::int64_t bytes = std::max(kRoundBytes, k.threads * kRoundBytesOfThread);
    const std::int64_t most = bytes / (group_elements() * std::int64_t(sizeof(T)));
    return std::clamp<std::int64_t>(most, 1, panel_count(tiles_of_chunk(), tiles_of_group()));
  }
  std::int64_t zeros() const { return std::max(c.channels, c.outputs); }

  // From sizes alone, as the order of sums is: as many chunks as there may be, nearly as long.
  std::int64_t tiles_of_chunk() const {
    const std::int64_t most = std::clamp<std::int64_t>(
        kPartialElements / std::max<std::int64_t>(1, sum_elements()), 1, kMostChunks);
    return std::max<std::int64_t>(1, panel_count(all.count(), std::min(most, groups())));
  }
  std::int64_t chunks() const { return panel_count(all.count(), tiles_of_chunk()); }
  bool shares_chunks() const { return chunks() >= k.threads; }
  std::int64_t scratch_elements() const {
    return chunks() * sum_elements() + zeros() +
           (shares_chunks() ? 0 : groups_of_round() * group_elements());
  }

  WinogradFactors<T> factors(T* group, std::int64_t tile, std::int64_t channels) const {
    return {group + tile * width, product_step(channels), kGroupTiles * width, width};
  }

  /// Of tiles [begin, end), the first of a round being `first`; beyond the last tile zeros.
  void transform(std::int64_t first, std::int64_t begin, std::int64_t end, const T* zeros,
                 T* to) const {
    const Images<const T> data{x, c.rows.length, c.columns.length, c.channels};
    const Images<const T> slopes{dy, c.rows.windows(), c.columns.windows(), c.outputs};
    const std::int64_t tiles = tiles_of_group();
    for (std::int64_t index = begin; index < end; ++index) {
      const WinogradTile tile = all.at(index);
      const WinogradTile seen{tile.image, tile.row - c.rows.padding,
                              tile.column - c.columns.padding};
      T* group = to + (index - first) / tiles * group_elements();
      const std::int64_t place = (index - first) % tiles;
      loops.from_data(data.template square<4>(seen, zeros).data(), c.channels,
                      factors(group, place, c.channels));
      loops.from_slopes(slopes.template square<2>(tile, zeros).data(), c.outputs,
                        factors(group + data_elements(), place, c.outputs));
    }
  }

  std::int64_t output_tasks() const { return panel_count(c.outputs, kTaskOutputs); }

  /// sums (products, outputs, channels) of one product and some outputs: adds a group's tiles, or
  /// begins with them.
  void add(std::int64_t task, const T* group, std::int64_t tiles, bool accumulate, T* sums) const {
    const std::int64_t e = task / output_tasks();
    const std::int64_t first = task % output_tasks() * kTaskOutputs;
    const std::int64_t last = std::min(c.outputs, first + kTaskOutputs);
    const std::int64_t rows = even_part(width, kernels.most_rows(c.channels));
    const GemmRun run{0, 0, tiles};
    GemmTile<T> tile{nullptr, width, nullptr, width, &run, 1, nullptr, c.channels, width};
    tile.accumulate = accumulate;
    for (std::int64_t channel = 0; channel < c.channels; channel += width) {
      tile.b = group + e * product_step(c.channels) + channel * kGroupTiles;
      for (std::int64_t output = first; output < last; output += width) {
        const T* slopes =
            group + data_elements() + e * product_step(c.outputs) + output * kGroupTiles;
        for (std::int64_t row = 0; row < width; row += rows) {
          tile.a = slopes + row;
          tile.c = sums + (e * c.outputs + output + row) * c.channels + channel;
          kernels.by_columns[1][std::size_t(std::min(rows, width - row) - 1)](tile);
        }
      }
    }
  }

  /// Tiles [begin, end) of the chunk that begins at `chunk`, groups of which threads transform,
  /// then multiply.
  void add_round(std::int64_t chunk, std::int64_t begin, std::int64_t end, const T* zeros,
                 T* groups, T* sums) const {
    constexpr std::int64_t kGrainTiles = 4;
    const std::int64_t tiles = tiles_of_group();
    parallel_shares(k.threads, end - begin, kGrainTiles,
                    [&](std::int64_t from, std::int64_t to, int) {
                      transform(begin, begin + from, begin + to, zeros, groups);
                    });
    parallel_shares(k.threads, kProducts * output_tasks(), 1,
                    [&](std::int64_t from, std::int64_t to, int) {
                      for (std::int64_t task = from; task < to; ++task) {
                        for (std::int64_t first = begin; first < end; first += tiles) {
                          add(task, groups + (first - begin) / tiles * group_elements(),
                              std::min(tiles, end - first), first > chunk, sums);
                        }
                      }
                    });
  }

  /// A chunk after the other, all threads at work on each.
  void share_rounds(const T* zeros, T* groups, T* sums) const {
    const std::int64_t round = groups_of_round() * tiles_of_group();
    for (std::int64_t chunk = 0; chunk < all.count(); chunk += tiles_of_chunk()) {
      const std::int64_t chunk_end = std::min(all.count(), chunk + tiles_of_chunk());
      for (std::int64_t begin = chunk; begin < chunk_end; begin += round) {
        if (begin > 0 && k.poll) k.poll();
        add_round(chunk, begin, std::min(chunk_end, begin + round), zeros, groups,
                  sums + chunk / tiles_of_chunk() * sum_elements());
      }
    }
  }

  /// Each thread has chunks of its own.
  void share_chunks(const T* zeros, T* sums) const {
    const double flops = 2.0 * double(tiles_of_chunk()) * double(sum_elements());
    run_by_flops(k, chunks(), flops, [&](std::int64_t begin, std::int64_t end) {
      T* group = winograd_scratch().numbers<T>(group_elements());
      for (std::int64_t chunk = begin; chunk < end; ++chunk) {
        const std::int64_t first = chunk * tiles_of_chunk();
        const std::int64_t last = std::min(all.count(), first + tiles_of_chunk());
        for (std::int64_t tile = first; tile < last; tile += tiles_of_group()) {
          const std::int64_t tiles = std::min(tiles_of_group(), last - tile);
          transform(tile, tile, tile + tiles, zeros, group);
          for (std::int64_t task = 0; task < kProducts * output_tasks(); ++task) {
            add(task, group, tiles, tile > first, sums + chunk * sum_elements());
          }
        }
      }
    });
  }

  /// To the sums of the first chunk, of one output.
  void add_chunks(T* sums) const {
    for (std::int64_t e = 0; e < kProducts; ++e) {
      T* to = sums + e * c.outputs * c.channels;
      for (std::int64_t chunk = 1; chunk < chunks(); ++chunk) {
        const T* part = to + chunk * sum_elements();
        for (std::int64_t j = 0; j < c.channels; ++j) to[j] += part[j];
      }
    }
  }

  /// False where one isn't finite.
  bool finish(T* sums, T* dweight) const {
    constexpr std::int64_t kTaps = 9;
    std::atomic<bool> finite{true};
    parallel_shares(k.threads, c.outputs, 4, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t o = begin; o < end; ++o) {
        add_chunks(sums + o * c.channels);
        const auto taps =
            Images<T>{dweight, 3, 3, c.channels}.template square<3>({o, 0, 0}, nullptr);
        static_assert(std::tuple_size_v<decltype(taps)> == kTaps);
        if (!loops.to_weight_slopes(sums + o * c.channels, c.outputs * c.channels, c.channels,
                                    taps.data())) {
          finite = false;
        }
      }
    });
    return finite;
  }
};

}  // namespace

template <class T>
bool sum_weights_by_winograd(const KernelCall& k, const Convolution& c, const T* x, const T* dy,
                             T* dweight) {
  const Sums<T> work{k, c, x, dy};
  T* sums = kernel_scratch().numbers<T>(work.scratch_elements());
  T* zeros = sums + work.chunks() * work.sum_elements();
  std::fill_n(zeros, work.zeros(), T(0));
  if (work.shares_chunks()) {
    work.share_chunks(zeros, sums);
  } else {
    work.share_rounds(zeros, zeros + work.zeros(), sums);
  }
  const bool finite = work.finish(sums, dweight);
  kernel_scratch().trim();
  return finite;
}

template <class T>
WinogradBytes winograd_sums_bytes(const Convolution& c, int threads) {
  const OpCall call{};
  const Poll none;
  const KernelCall k{call, {}, {}, threads, none};
  const Sums<T> work{k, c, nullptr, nullptr};
  constexpr std::int64_t kBytes = sizeof(T);
  return {work.scratch_elements() * kBytes,
          work.shares_chunks() ? threads * work.group_elements() * kBytes : 0};
}

template bool sum_weights_by_winograd(const KernelCall&, const Convolution&, const float*,
                                      const float*, float*);
template bool sum_weights_by_winograd(const KernelCall&, const Convolution&, const double*,
                                      const double*, double*);
template WinogradBytes winograd_sums_bytes<float>(const Convolution&, int);
template WinogradBytes winograd_sums_bytes<double>(const Convolution&, int);

}  // namespace siliconprof::cpu
