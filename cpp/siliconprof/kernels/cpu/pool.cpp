#include "siliconprof/kernels/cpu/pool.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/indices.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/pool_kernels.h"
#include "siliconprof/kernels/cpu/scratch.h"
#include "siliconprof/ops/pool.h"

namespace siliconprof::cpu {
namespace {

/// Pixels under each window of an axis.
std::vector<PoolRange> pixels_under_windows(const WindowAxis& axis) {
  std::vector<PoolRange> all;
  for (std::int64_t window = 0; window < axis.windows(); ++window) {
    const std::int64_t first = axis.position(window, 0);
    all.push_back({std::max<std::int64_t>(0, first), std::min(axis.length, first + axis.kernel)});
  }
  return all;
}

/// Windows over each pixel of an axis.
std::vector<PoolRange> windows_over_pixels(const WindowAxis& axis) {
  std::vector<PoolRange> all;
  for (std::int64_t pixel = 0; pixel < axis.length; ++pixel) {
    const std::int64_t last = (pixel + axis.padding) / axis.stride + 1;
    const std::int64_t before = pixel + axis.padding - axis.kernel + 1;
    const std::int64_t first = before <= 0 ? 0 : divided_up(before, axis.stride);
    all.push_back({first, std::min(last, axis.windows())});
  }
  return all;
}

/// Results of pooling or of its gradient, and where each one's sources are.
class Sources {
 public:
  /// Of windows, among pixels.
  static Sources of_windows(const Pooling& p) {
    return {p, pixels_under_windows(p.rows), pixels_under_windows(p.columns), p.columns.length};
  }
  /// Of pixels, among windows.
  static Sources of_pixels(const Pooling& p) {
    return {p, windows_over_pixels(p.rows), windows_over_pixels(p.columns), p.columns.windows()};
  }

  /// Calls body(row, image, number of the row's first result in the image's plane). Fences where
  /// bodies `stream`: once for many rows, as a fence waits for all stores.
  template <class Body>
  void for_rows(const KernelCall& k, bool stream, const Body& body) const {
    const auto rows = std::int64_t(rows_.size());
    const auto columns = std::int64_t(columns_.size());
    const std::int64_t bytes =
        p_.rows.kernel * p_.columns.kernel * p_.channels * columns * size_bytes(k.call.dtype);
    run_in_pieces(k, p_.batch * rows, bytes, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t line = begin; line < end; ++line) {
        const std::int64_t row = line % rows;
        const PoolRange range = rows_[std::size_t(row)];
        // Behind the last row the next image begins.
        const std::int64_t ahead =
            row + 1 < rows ? rows_[std::size_t(row + 1)].last - range.last : rows_[0].last;
        body(PoolRow{range, columns_.data(), columns, line_, ahead, p_.channels}, line / rows,
             row * columns);
      }
      if (stream) pool_kernels().of(k.call.dtype).fence();
    });
  }

 private:
  Sources(const Pooling& p, std::vector<PoolRange> rows, std::vector<PoolRange> columns,
          std::int64_t line)
      : p_(p), rows_(std::move(rows)), columns_(std::move(columns)), line_(line) {}

  const Pooling& p_;
  std::vector<PoolRange> rows_;
  std::vector<PoolRange> columns_;
  std::int64_t line_;
};

/// The first channel of a place of an image whose planes have so many places.
std::int64_t channels_at(const Pooling& p, std::int64_t plane, std::int64_t image,
                         std::int64_t place) {
  return (image * plane + place) * p.channels;
}

const char* element(const TensorView& view, std::int64_t i) {
  return view.as<const char>() + i * size_bytes(view.dtype);
}
char* element_of(const TensorView& view, std::int64_t i) {
  return view.as<char>() + i * size_bytes(view.dtype);
}

double one_by_window(const Pooling& p) { return 1.0 / double(p.rows.kernel * p.columns.kernel); }

/// Channels [channel, channel + n) of an image: dx = Σ dy where the positions say.
template <class T, class Sum>
void scatter_image(const Pooling& p, const std::int32_t* position, const T* dy,
                   std::int64_t channel, std::int64_t n, Sum* sums, std::int64_t step) {
  for (std::int64_t i = 0; i < p.plane(); ++i) std::fill_n(sums + i * step, n, Sum(0));
  for (std::int64_t window = 0; window < p.windows(); ++window) {
    const std::int64_t at = window * p.channels + channel;
    for (std::int64_t j = 0; j < n; ++j) {
      sums[position[at + j] * step + j] += static_cast<Sum>(dy[at + j]);
    }
  }
}

/// The same for an image whose sums are rounded at the end.
template <class T>
void scatter_rounded(const Pooling& p, const std::int32_t* position, const T* dy,
                     std::int64_t channel, std::int64_t n, T* dx) {
  static thread_local Scratch scratch;
  float* sums = scratch.floats(p.plane() * n);
  scatter_image(p, position, dy, channel, n, sums, n);
  for (std::int64_t i = 0; i < p.plane(); ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      dx[i * p.channels + channel + j] = static_cast<T>(sums[i * n + j]);
    }
  }
  scratch.trim();
}

/// dx of positions that may lie anywhere in the plane: image by image, as no one else may add to
/// it.
void scatter_images(const KernelCall& k, const Pooling& p) {
  constexpr std::int64_t kChannels = 64;
  const std::int64_t parts = divided_up(p.channels, kChannels);
  with_element_type(k.call.dtype, [&]<class T>() {
    const std::int64_t bytes =
        (p.plane() + p.windows()) * std::min(kChannels, p.channels) * std::int64_t(sizeof(T)) + 1;
    run_in_pieces(k, p.batch * parts, bytes, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t task = begin; task < end; ++task) {
        const std::int64_t image = task / parts;
        const std::int64_t channel = task % parts * kChannels;
        const std::int64_t n = std::min(kChannels, p.channels - channel);
        const std::int64_t from = image * p.windows() * p.channels;
        const auto* position = k.inputs[0].as<const std::int32_t>() + from;
        const T* dy = k.inputs[1].as<const T>() + from;
        T* dx = k.outputs[0].as<T>() + image * p.plane() * p.channels;
        if constexpr (sizeof(T) == 2) {
          scatter_rounded(p, position, dy, channel, n, dx);
        } else {
          scatter_image(p, position, dy, channel, n, dx + channel, p.channels);
        }
      }
    });
  });
}

/// True when each position lies under its window, as those that pooling found do.
bool positions_under_windows(const KernelCall& k, const Pooling& p) {
  const PoolLoops& loops = pool_kernels().of(k.call.dtype);
  std::atomic<bool> under = true;
  Sources::of_windows(p).for_rows(
      k, false, [&](const PoolRow& row, std::int64_t image, std::int64_t window) {
        const std::int64_t at = channels_at(p, p.windows(), image, window);
        if (!loops.all_among(k.inputs[0].as<const std::int32_t>() + at, row)) under = false;
      });
  return under;
}

}  // namespace

void run_max_pool2d(const KernelCall& k) {
  const Pooling p = pooling_of(k.call);
  const PoolLoops& loops = pool_kernels().of(k.call.dtype);
  const bool stream = exceeds_cache(k);
  Sources::of_windows(p).for_rows(
      k, stream, [&](const PoolRow& row, std::int64_t image, std::int64_t window) {
        const std::int64_t to = channels_at(p, p.windows(), image, window);
        loops.largest(element(k.inputs[0], channels_at(p, p.plane(), image, 0)), row,
                      element_of(k.outputs[0], to), k.outputs[1].as<std::int32_t>() + to, stream);
      });
}

void run_max_pool2d_backward(const KernelCall& k) {
  const Pooling p = pooling_of(k.call);
  if (!positions_under_windows(k, p)) {
    check_indices(k);
    return scatter_images(k, p);
  }
  // Each pixel looks for itself among the positions of its windows: nothing is added twice.
  const PoolLoops& loops = pool_kernels().of(k.call.dtype);
  const bool stream = exceeds_cache(k);
  Sources::of_pixels(p).for_rows(
      k, stream, [&](const PoolRow& row, std::int64_t image, std::int64_t pixel) {
        const std::int64_t from = channels_at(p, p.windows(), image, 0);
        loops.sum_where(k.inputs[0].as<const std::int32_t>() + from, element(k.inputs[1], from),
                        row, std::int32_t(pixel),
                        element_of(k.outputs[0], channels_at(p, p.plane(), image, pixel)), stream);
      });
}

void run_avg_pool2d(const KernelCall& k) {
  const Pooling p = pooling_of(k.call);
  const PoolLoops& loops = pool_kernels().of(k.call.dtype);
  Sources::of_windows(p).for_rows(
      k, false, [&](const PoolRow& row, std::int64_t image, std::int64_t window) {
        loops.scaled_sum(element(k.inputs[0], channels_at(p, p.plane(), image, 0)), row,
                         one_by_window(p),
                         element_of(k.outputs[0], channels_at(p, p.windows(), image, window)));
      });
}

void run_avg_pool2d_backward(const KernelCall& k) {
  const Pooling p = pooling_of(k.call);
  const PoolLoops& loops = pool_kernels().of(k.call.dtype);
  Sources::of_pixels(p).for_rows(
      k, false, [&](const PoolRow& row, std::int64_t image, std::int64_t pixel) {
        loops.scaled_sum(element(k.inputs[0], channels_at(p, p.windows(), image, 0)), row,
                         one_by_window(p),
                         element_of(k.outputs[0], channels_at(p, p.plane(), image, pixel)));
      });
}

}  // namespace siliconprof::cpu
