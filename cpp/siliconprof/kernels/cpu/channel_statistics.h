#pragma once

// Sums over the elements of each channel, for normalisations: data (outer, channels, inner).

#include <cstdint>
#include <vector>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

/// Of each channel.
struct Moments {
  std::vector<double> mean;
  std::vector<double> squares;  // of the deviations, summed
};
struct SlopeSums {
  std::vector<double> sum;  // Σ dy
  std::vector<double> dot;  // Σ dy·(x - mean)
};

struct ChannelShape {
  std::int64_t outer;
  std::int64_t channels;
  std::int64_t inner;
};

/// All threads of the call share the work; the same result for any number of them.
Moments channel_moments(const KernelCall& call, const ChannelShape& shape, const TensorView& x);
/// `mean` holds a kept number for each channel.
SlopeSums channel_slope_sums(const KernelCall& call, const ChannelShape& shape, const TensorView& x,
                             const TensorView& dy, const TensorView& mean);

/// Bytes of scratch that either of them takes.
std::int64_t statistics_bytes(const ChannelShape& shape, Dtype dtype);

/// A number as it is kept, and as the loops have it.
inline double as_kept(double value, Dtype dtype) {
  return statistics_dtype(dtype) == Dtype::Float64 ? value : double(float(value));
}

/// float32 or float64 as float64.
std::vector<double> kept_values(const TensorView& kept);

/// Rows seen as fewer, wider ones: `together` of them side by side, the rest alone.
struct WideRows {
  std::int64_t together;
  std::int64_t n;  // elements of a wide row
  std::int64_t rows;
  std::int64_t rest;  // rows of `channels` elements that are left over

  WideRows(const ChannelShape& shape, std::int64_t least)
      : together(shape.channels < least ? least / shape.channels : 1),
        n(shape.channels * together),
        rows(shape.outer / together),
        rest(shape.outer % together) {}
};

}  // namespace siliconprof::cpu
