#include "siliconprof/kernels/cpu/batch_norm.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/channel_statistics.h"
#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/norm_kernels.h"
#include "siliconprof/kernels/cpu/pieces.h"

namespace siliconprof::cpu {
namespace {

using Numbers = std::vector<double>;

ChannelShape shape_of(const KernelCall& k) {
  return {k.call.dims[0], k.call.dims[1], k.call.dims[2]};
}

Numbers values(const TensorView& view) {
  Numbers all(std::size_t(view.elements()));
  with_element_type(view.dtype, [&]<class T>() {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = double(view.as<const T>()[i]);
  });
  return all;
}

void store(const TensorView& view, const Numbers& numbers) {
  with_element_type(view.dtype, [&]<class T>() {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      view.as<T>()[i] = static_cast<T>(static_cast<Accumulator<T>>(numbers[i]));
    }
  });
}

/// A channel's numbers as the loops take them, again and again until the row of n, a multiple of
/// the channels, is full.
struct Columns {
  std::vector<float> singles;
  Numbers doubles;

  Columns(const KernelCall& k, const Numbers& channels, std::int64_t n) {
    if (statistics_dtype(k.call.dtype) == Dtype::Float64) {
      repeat(channels, std::size_t(n), doubles);
    } else {
      repeat(channels, std::size_t(n), singles);
    }
  }
  const void* data() const {
    return doubles.empty() ? static_cast<const void*>(singles.data()) : doubles.data();
  }

 private:
  template <class T>
  static void repeat(const Numbers& channels, std::size_t n, std::vector<T>& row) {
    row.assign(channels.begin(), channels.end());
    row.resize(n);
    for (std::size_t at = channels.size(); at < n; at += channels.size()) {
      std::copy_n(row.begin(), channels.size(), row.begin() + std::ptrdiff_t(at));
    }
  }
};

/// Calls body(i) for i of [0, n), the last first: those were read last and may still be in cache.
/// What fits is shared as it was read, and each thread goes backwards through its own.
template <class Body>
void for_each_backwards(const KernelCall& k, std::int64_t n, std::int64_t bytes_each,
                        const Body& body, bool stream) {
  const bool fits = n * bytes_each <= last_level_cache_bytes();
  run_in_pieces(k, n, bytes_each, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t mirrored = fits ? 0 : n - begin - end;
    for (std::int64_t i = end - 1; i >= begin; --i) body(i + mirrored);
    if (stream) norm_loops(k.call.dtype).fence();
  });
}

/// Calls body(first element, rows, elements of a row) from the last rows to the first.
template <class Body>
void for_rows_backwards(const KernelCall& k, const WideRows& wide, std::int64_t channels,
                        const Body& body) {
  constexpr std::int64_t chunk_bytes = std::int64_t{256} << 10;
  const std::int64_t row_bytes = wide.n * size_bytes(k.call.dtype);
  const std::int64_t chunk = std::max<std::int64_t>(1, chunk_bytes / row_bytes);
  const std::int64_t chunks = divided_up(wide.rows, chunk);
  if (wide.rest > 0) body(wide.rows * wide.n, wide.rest, channels);
  const auto rows = [&](std::int64_t c) {
    body(c * chunk * wide.n, std::min(chunk, wide.rows - c * chunk), wide.n);
  };
  for_each_backwards(k, chunks, chunk * row_bytes, rows, false);
}

// Rows this wide keep the loops busy.
constexpr std::int64_t kLeastRow = 512;

/// Whether deviations are so small beside the means that the rounding of a mean's product would
/// show. Else that product is a part of the shift, which spares the loops on columns a number of
/// each channel.
bool are_far_from_0(const Numbers& mean, const Numbers& rstd) {
  constexpr double far = 8;  // deviations, and as many roundings
  for (std::size_t c = 0; c < mean.size(); ++c) {
    if (std::abs(mean[c]) * rstd[c] > far) return true;
  }
  return false;
}

/// factor·(x - centre) + shift as a factor, which the loops round, and a shift of x itself.
void move_centres(const KernelCall& k, const Numbers& centre, Numbers& factor, Numbers& shift) {
  for (std::size_t c = 0; c < centre.size(); ++c) {
    factor[c] = as_kept(factor[c], k.call.dtype);
    shift[c] -= factor[c] * centre[c];
  }
}

/// y = scale·(x - centre) + shift, by channel.
void write_affine(const KernelCall& k, const Numbers& centre, Numbers scale, Numbers shift,
                  bool far) {
  const ChannelShape shape = shape_of(k);
  const NormLoops& loops = norm_loops(k.call.dtype);
  const std::int64_t size = size_bytes(k.call.dtype);
  const bool stream = exceeds_cache(k);
  const char* x = k.inputs[0].as<const char>();
  char* y = k.outputs[0].as<char>();
  if (shape.inner > 1) {
    const std::int64_t run_bytes = 2 * shape.inner * size;
    const auto affine = [&](std::int64_t run) {
      const auto c = std::size_t(run % shape.channels);
      const std::int64_t at = run * shape.inner * size;
      loops.affine(x + at, centre[c], scale[c], shift[c], y + at, shape.inner, stream);
    };
    for_each_backwards(k, shape.outer * shape.channels, run_bytes, affine, stream);
    return;
  }
  const WideRows wide(shape, kLeastRow);
  if (!far) move_centres(k, centre, scale, shift);
  const Columns centres(k, centre, wide.n);
  const Columns scales(k, scale, wide.n);
  const Columns shifts(k, shift, wide.n);
  for_rows_backwards(
      k, wide, shape.channels, [&](std::int64_t at, std::int64_t rows, std::int64_t n) {
        loops.column_affine(x + at * size, far ? centres.data() : nullptr, scales.data(),
                            shifts.data(), y + at * size, rows, n, stream);
      });
}

/// dx = a·(x - centre) + b·dy + shift, by channel.
void write_blend(const KernelCall& k, const Numbers& centre, Numbers a, const Numbers& b,
                 Numbers shift, bool far) {
  const ChannelShape shape = shape_of(k);
  const NormLoops& loops = norm_loops(k.call.dtype);
  const std::int64_t size = size_bytes(k.call.dtype);
  const bool stream = exceeds_cache(k);
  const char* x = k.inputs[0].as<const char>();
  const char* dy = k.inputs[4].as<const char>();
  char* dx = k.outputs[0].as<char>();
  if (shape.inner > 1) {
    const std::int64_t run_bytes = 3 * shape.inner * size;
    const auto blend = [&](std::int64_t run) {
      const auto c = std::size_t(run % shape.channels);
      const std::int64_t at = run * shape.inner * size;
      loops.blend(x + at, dy + at, centre[c], a[c], b[c], shift[c], dx + at, shape.inner, stream);
    };
    for_each_backwards(k, shape.outer * shape.channels, run_bytes, blend, stream);
    return;
  }
  const WideRows wide(shape, kLeastRow);
  if (!far) move_centres(k, centre, a, shift);
  const Columns centres(k, centre, wide.n);
  const Columns as(k, a, wide.n);
  const Columns bs(k, b, wide.n);
  const Columns shifts(k, shift, wide.n);
  for_rows_backwards(
      k, wide, shape.channels, [&](std::int64_t at, std::int64_t rows, std::int64_t n) {
        loops.column_blend(x + at * size, dy + at * size, far ? centres.data() : nullptr, as.data(),
                           bs.data(), shifts.data(), dx + at * size, rows, n, stream);
      });
}

}  // namespace

void run_batch_norm(const KernelCall& k) {
  const ChannelShape shape = shape_of(k);
  if (shape.channels == 0) return;
  const Moments moments = channel_moments(k, shape, k.inputs[0]);
  const Numbers weight = values(k.inputs[1]);
  const double n = double(shape.outer) * double(shape.inner);
  Numbers rstd(weight.size());
  Numbers scale(weight.size());
  Numbers centre(weight.size());
  Numbers shift = values(k.inputs[2]);
  for (std::size_t c = 0; c < weight.size(); ++c) {
    rstd[c] = 1 / std::sqrt(moments.squares[c] / n + k.call.attributes[0]);
    scale[c] = rstd[c] * weight[c];
    centre[c] = as_kept(moments.mean[c], k.call.dtype);
    shift[c] -= (moments.mean[c] - centre[c]) * scale[c];
  }
  store(k.outputs[1], moments.mean);
  store(k.outputs[2], rstd);
  write_affine(k, centre, std::move(scale), std::move(shift), are_far_from_0(centre, rstd));
}

void run_batch_norm_backward(const KernelCall& k) {
  const ChannelShape shape = shape_of(k);
  if (shape.channels == 0) return;
  const SlopeSums sums = channel_slope_sums(k, shape, k.inputs[0], k.inputs[4], k.inputs[2]);
  const Numbers weight = values(k.inputs[1]);
  const Numbers mean = kept_values(k.inputs[2]);
  const Numbers rstd = kept_values(k.inputs[3]);
  const double n = double(shape.outer) * double(shape.inner);
  Numbers dweight(weight.size());
  Numbers a(weight.size());
  Numbers b(weight.size());
  Numbers shift(weight.size());
  for (std::size_t c = 0; c < weight.size(); ++c) {
    dweight[c] = sums.dot[c] * rstd[c];
    b[c] = rstd[c] * weight[c];
    a[c] = -b[c] * rstd[c] * dweight[c] / n;
    shift[c] = -b[c] * sums.sum[c] / n;
  }
  store(k.outputs[1], dweight);
  store(k.outputs[2], sums.sum);
  write_blend(k, mean, std::move(a), b, std::move(shift), are_far_from_0(mean, rstd));
}

}  // namespace siliconprof::cpu
