#include "siliconprof/kernels/cpu/pool.h"

#include <algorithm>
#include <array>
#include <vector>

#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/indices.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/pool_kernels.h"
#include "siliconprof/kernels/cpu/scratch.h"
#include "siliconprof/ops/pool.h"

namespace siliconprof::cpu {
namespace {

/// Pixels under a window, or windows over a pixel: a rectangle of a plane.
class Places {
 public:
  explicit Places(const Pooling& p) : p_(p) {}

  void find_pixels(std::int64_t row_window, std::int64_t column_window) {
    find(pixels(p_.rows, row_window), pixels(p_.columns, column_window), p_.columns.length);
  }

  void find_windows(std::int64_t row, std::int64_t column) {
    find(windows(p_.rows, row), windows(p_.columns, column), p_.columns.windows());
  }

  /// The first one's place; the others are counted from it.
  std::int64_t first() const { return first_; }
  const std::int64_t* offsets() const { return offsets_.data(); }
  const std::int32_t* positions() const { return positions_.data(); }
  std::int64_t count() const { return std::int64_t(offsets_.size()); }

 private:
  // From one rectangle to the next mostly the first place alone changes.
  void find(const std::array<std::int64_t, 2>& rows, const std::array<std::int64_t, 2>& columns,
            std::int64_t line) {
    first_ = rows[0] * line + columns[0];
    const std::array size{rows[1] - rows[0], columns[1] - columns[0]};
    if (size == size_) return;
    size_ = size;
    offsets_.clear();
    positions_.clear();
    for (std::int64_t r = 0; r < size[0]; ++r) {
      for (std::int64_t q = 0; q < size[1]; ++q) {
        offsets_.push_back((r * line + q) * p_.channels);
        positions_.push_back(std::int32_t(r * line + q));
      }
    }
  }
  /// Positions [first, last) under a window.
  static std::array<std::int64_t, 2> pixels(const WindowAxis& axis, std::int64_t window) {
    const std::int64_t first = axis.position(window, 0);
    return {std::max<std::int64_t>(0, first), std::min(axis.length, first + axis.kernel)};
  }
  /// Windows [first, last) over a position.
  static std::array<std::int64_t, 2> windows(const WindowAxis& axis, std::int64_t position) {
    const std::int64_t last = (position + axis.padding) / axis.stride + 1;
    const std::int64_t before = position + axis.padding - axis.kernel + 1;
    const std::int64_t first = before <= 0 ? 0 : (before + axis.stride - 1) / axis.stride;
    return {first, std::min(last, axis.windows())};
  }

  const Pooling& p_;
  std::int64_t first_ = 0;
  std::array<std::int64_t, 2> size_{-1, -1};
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> positions_;
};

/// Calls body(places, image, row, column) for all pixels of (images, rows, columns).
template <class Body>
void for_pixels(const KernelCall& k, const Pooling& p, std::int64_t rows, std::int64_t columns,
                const Body& body) {
  const std::int64_t taps = p.rows.kernel * p.columns.kernel;
  const std::int64_t bytes =
      std::max<std::int64_t>(1, taps * p.channels * columns * size_bytes(k.call.dtype));
  run_in_pieces(k, p.batch * rows, bytes, [&](std::int64_t begin, std::int64_t end) {
    Places places(p);
    for (std::int64_t line = begin; line < end; ++line) {
      for (std::int64_t column = 0; column < columns; ++column) {
        body(places, line / rows, line % rows, column);
      }
    }
  });
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

}  // namespace

void run_max_pool2d(const KernelCall& k) {
  const Pooling p = pooling_of(k.call);
  const PoolLoops& loops = pool_kernels().of(k.call.dtype);
  for_pixels(k, p, p.rows.windows(), p.columns.windows(),
             [&](Places& places, std::int64_t image, std::int64_t row, std::int64_t column) {
               places.find_pixels(row, column);
               const std::int64_t to =
                   (image * p.windows() + row * p.columns.windows() + column) * p.channels;
               loops.largest(
                   element(k.inputs[0], (image * p.plane() + places.first()) * p.channels),
                   places.offsets(), places.positions(), places.count(),
                   std::int32_t(places.first()), element_of(k.outputs[0], to),
                   k.outputs[1].as<std::int32_t>() + to, p.channels);
             });
}

void run_max_pool2d_backward(const KernelCall& k) {
  check_indices(k);
  const Pooling p = pooling_of(k.call);
  constexpr std::int64_t kChannels = 64;
  const std::int64_t parts = (p.channels + kChannels - 1) / kChannels;
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

void run_avg_pool2d(const KernelCall& k) {
  const Pooling p = pooling_of(k.call);
  const PoolLoops& loops = pool_kernels().of(k.call.dtype);
  for_pixels(k, p, p.rows.windows(), p.columns.windows(),
             [&](Places& places, std::int64_t image, std::int64_t row, std::int64_t column) {
               places.find_pixels(row, column);
               const std::int64_t to = image * p.windows() + row * p.columns.windows() + column;
               loops.scaled_sum(
                   element(k.inputs[0], (image * p.plane() + places.first()) * p.channels),
                   places.offsets(), places.count(), one_by_window(p),
                   element_of(k.outputs[0], to * p.channels), p.channels);
             });
}

void run_avg_pool2d_backward(const KernelCall& k) {
  const Pooling p = pooling_of(k.call);
  const PoolLoops& loops = pool_kernels().of(k.call.dtype);
  for_pixels(k, p, p.rows.length, p.columns.length,
             [&](Places& places, std::int64_t image, std::int64_t row, std::int64_t column) {
               places.find_windows(row, column);
               const std::int64_t to = image * p.plane() + row * p.columns.length + column;
               loops.scaled_sum(
                   element(k.inputs[0], (image * p.windows() + places.first()) * p.channels),
                   places.offsets(), places.count(), one_by_window(p),
                   element_of(k.outputs[0], to * p.channels), p.channels);
             });
}

}  // namespace siliconprof::cpu
