#include "siliconprof/kernels/cpu/channel_statistics.h"

#include <algorithm>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/norm_kernels.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {
namespace {

// Few rows of long ones, so that they stay in a core's own cache.
std::int64_t rows_of_block(std::int64_t n) { return n <= 512 ? 64 : 32; }

// Narrow channels are summed side by side, so that vectors are full. What is left over is less.
constexpr std::int64_t kWide = 128;
static_assert(kWide <= kNormRows);

/// Blocks of rows, and the numbers that each leaves behind: up to three for each of n columns.
struct Blocks {
  WideRows wide;
  std::int64_t channels;
  std::int64_t block_rows;
  std::int64_t full;   // blocks of wide rows
  std::int64_t count;  // and the rest, where there is one
  Dtype kept;

  Blocks(const ChannelShape& shape, Dtype dtype)
      : wide(shape, kWide),
        channels(shape.channels),
        block_rows(rows_of_block(wide.n)),
        full(divided_up(wide.rows, block_rows)),
        count(full + (wide.rest > 0 ? 1 : 0)),
        kept(statistics_dtype(dtype)) {}

  std::int64_t first(std::int64_t block) const { return block * block_rows; }
  std::int64_t rows(std::int64_t block) const {
    return block == full ? wide.rest : std::min(block_rows, wide.rows - first(block));
  }
  std::int64_t columns(std::int64_t block) const { return block == full ? channels : wide.n; }
  /// The first element of a block.
  std::int64_t start(std::int64_t block) const {
    return block == full ? wide.rows * wide.n : first(block) * wide.n;
  }
  std::int64_t stride_bytes() const { return 3 * wide.n * size_bytes(kept); }
  std::int64_t bytes() const { return count * stride_bytes(); }
};

/// Calls body(block, where its numbers go) for each block.
template <class Body>
char* for_blocks(const KernelCall& k, const Blocks& blocks, const Body& body) {
  auto* numbers = reinterpret_cast<char*>(kernel_scratch().floats(blocks.bytes() / 4));
  const std::int64_t bytes = blocks.block_rows * blocks.wide.n * size_bytes(k.call.dtype);
  run_in_pieces(k, blocks.count, bytes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      body(block, numbers + block * blocks.stride_bytes());
    }
  });
  return numbers;
}

/// The sum of what lies side by side.
std::vector<double> folded(const std::vector<double>& wide, std::int64_t channels) {
  std::vector<double> sums(wide.begin(), wide.begin() + channels);
  for (std::size_t j = sums.size(); j < wide.size(); ++j) sums[j % sums.size()] += wide[j];
  return sums;
}

/// A channel's moments from those of its columns and blocks.
Moments column_moments(const KernelCall& k, const ChannelShape& shape, const char* x) {
  const NormLoops& loops = norm_loops(k.call.dtype);
  const Blocks blocks(shape, k.call.dtype);
  const std::int64_t kept_bytes = size_bytes(blocks.kept);
  const char* numbers = for_blocks(k, blocks, [&](std::int64_t block, char* out) {
    const std::int64_t n = blocks.columns(block);
    loops.column_moments(x + blocks.start(block) * size_bytes(k.call.dtype), n, blocks.rows(block),
                         n, out, out + n * kept_bytes, out + 2 * n * kept_bytes);
  });
  const auto at = [&](std::int64_t block) { return numbers + block * blocks.stride_bytes(); };
  std::vector<double> wide(std::size_t(blocks.wide.n));
  for (std::int64_t b = 0; b < blocks.count; ++b) {
    const std::int64_t n = blocks.columns(b);
    loops.add_weighted(at(b), double(blocks.rows(b)), wide.data(), n);
    loops.add_weighted(at(b) + n * kept_bytes, 1, wide.data(), n);
  }
  Moments moments{folded(wide, shape.channels), {}};
  for (double& mean : moments.mean) mean /= double(shape.outer);
  for (std::size_t j = 0; j < wide.size(); ++j) wide[j] = moments.mean[j % moments.mean.size()];
  std::vector<double> squares(wide.size());
  for (std::int64_t b = 0; b < blocks.count; ++b) {
    const std::int64_t n = blocks.columns(b);
    loops.add_squares(at(b), at(b) + n * kept_bytes, at(b) + 2 * n * kept_bytes, wide.data(),
                      double(blocks.rows(b)), squares.data(), n);
  }
  moments.squares = folded(squares, shape.channels);
  for (double& sum : moments.squares) {
    if (sum < 0) sum = 0;  // a NaN stays
  }
  kernel_scratch().trim();
  return moments;
}

SlopeSums column_slope_sums(const KernelCall& k, const ChannelShape& shape, const char* x,
                            const char* dy, const char* mean) {
  const NormLoops& loops = norm_loops(k.call.dtype);
  const Blocks blocks(shape, k.call.dtype);
  const std::int64_t kept_bytes = size_bytes(blocks.kept);
  std::vector<char> means(std::size_t(blocks.wide.n * kept_bytes));
  const std::int64_t mean_bytes = shape.channels * kept_bytes;
  for (std::size_t i = 0; i < means.size(); ++i) means[i] = mean[std::int64_t(i) % mean_bytes];
  const char* numbers = for_blocks(k, blocks, [&](std::int64_t block, char* out) {
    const std::int64_t n = blocks.columns(block);
    const std::int64_t start = blocks.start(block) * size_bytes(k.call.dtype);
    loops.column_slope_sums(x + start, dy + start, n, blocks.rows(block), n, means.data(), out,
                            out + n * kept_bytes);
  });
  std::vector<double> sum(std::size_t(blocks.wide.n));
  std::vector<double> dot(sum.size());
  for (std::int64_t b = 0; b < blocks.count; ++b) {
    const char* out = numbers + b * blocks.stride_bytes();
    const std::int64_t n = blocks.columns(b);
    loops.add_weighted(out, 1, sum.data(), n);
    loops.add_weighted(out + n * kept_bytes, 1, dot.data(), n);
  }
  kernel_scratch().trim();
  return {folded(sum, shape.channels), folded(dot, shape.channels)};
}

/// Calls body(run, first element) for each run of `inner` elements.
template <class Body>
void for_runs(const KernelCall& k, const ChannelShape& shape, const Body& body) {
  const std::int64_t bytes = shape.inner * size_bytes(k.call.dtype);
  run_in_pieces(k, shape.outer * shape.channels, bytes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t run = begin; run < end; ++run) {
      body(std::size_t(run), run * shape.inner * size_bytes(k.call.dtype));
    }
  });
}

Moments run_moments(const KernelCall& k, const ChannelShape& shape, const char* x) {
  const NormLoops& loops = norm_loops(k.call.dtype);
  const auto channels = std::size_t(shape.channels);
  const auto runs = std::size_t(shape.outer) * channels;
  std::vector<double> means(runs);
  std::vector<double> squares(runs);
  for_runs(k, shape, [&](std::size_t run, std::int64_t at) {
    loops.moments(x + at, shape.inner, &means[run], &squares[run]);
  });
  Moments moments{std::vector<double>(channels), std::vector<double>(channels)};
  for (std::size_t run = 0; run < runs; ++run) moments.mean[run % channels] += means[run];
  for (double& mean : moments.mean) mean /= double(shape.outer);
  for (std::size_t run = 0; run < runs; ++run) {
    const double d = means[run] - moments.mean[run % channels];
    moments.squares[run % channels] += squares[run] + double(shape.inner) * d * d;
  }
  return moments;
}

SlopeSums run_slope_sums(const KernelCall& k, const ChannelShape& shape, const char* x,
                         const char* dy, const std::vector<double>& mean) {
  const NormLoops& loops = norm_loops(k.call.dtype);
  const auto channels = std::size_t(shape.channels);
  const auto runs = std::size_t(shape.outer) * channels;
  std::vector<double> sums(runs);
  std::vector<double> dots(runs);
  for_runs(k, shape, [&](std::size_t run, std::int64_t at) {
    loops.slope_sums(x + at, dy + at, shape.inner, mean[run % channels], &sums[run], &dots[run]);
  });
  SlopeSums all{std::vector<double>(channels), std::vector<double>(channels)};
  for (std::size_t run = 0; run < runs; ++run) {
    all.sum[run % channels] += sums[run];
    all.dot[run % channels] += dots[run];
  }
  return all;
}

}  // namespace

std::int64_t statistics_bytes(const ChannelShape& shape, Dtype dtype) {
  return shape.channels == 0 || shape.inner != 1 ? 0 : Blocks(shape, dtype).bytes();
}

std::vector<double> kept_values(const TensorView& kept) {
  std::vector<double> values(std::size_t(kept.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = kept.dtype == Dtype::Float64 ? kept.as<const double>()[i]
                                             : double(kept.as<const float>()[i]);
  }
  return values;
}

Moments channel_moments(const KernelCall& k, const ChannelShape& shape, const TensorView& x) {
  const char* data = x.as<const char>();
  return shape.inner == 1 ? column_moments(k, shape, data) : run_moments(k, shape, data);
}

SlopeSums channel_slope_sums(const KernelCall& k, const ChannelShape& shape, const TensorView& x,
                             const TensorView& dy, const TensorView& mean) {
  const char* data = x.as<const char>();
  const char* slopes = dy.as<const char>();
  return shape.inner == 1 ? column_slope_sums(k, shape, data, slopes, mean.as<const char>())
                          : run_slope_sums(k, shape, data, slopes, kept_values(mean));
}

}  // namespace siliconprof::cpu
