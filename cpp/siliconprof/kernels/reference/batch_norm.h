#pragma once

// Batch normalisation in training and its gradient by definition; Acc and step as in matmul.h,
// shapes as in ops/batch_norm.h.

#include <array>
#include <vector>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/kernels/reference/group_norm.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// Where the i-th element of a channel lies.
struct ChannelElements {
  std::int64_t channels;
  std::int64_t inner;
  std::int64_t channel;
  std::int64_t operator[](std::int64_t i) const {
    return (i / inner * channels + channel) * inner + i % inner;
  }
};

template <class Acc, class X, class Weight, class Bias, class Y, class Mean, class Rstd, class Step>
void batch_norm(const OpCall& call, X&& x, Weight&& weight, Bias&& bias, Y&& y, Mean&& mean,
                Rstd&& rstd, const Step& step) {
  const auto [outer, channels, inner] = first<3>(call.dims);
  const std::int64_t n = outer * inner;
  std::vector<Acc> deviations(static_cast<std::size_t>(n));
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const ChannelElements at{channels, inner, channel};
    Acc sum(0);
    for (std::int64_t i = 0; i < n; ++i) sum = sum + static_cast<Acc>(x[at[i]]);
    const Acc centre = sum / Acc(double(n));
    Acc squares(0);
    for (std::int64_t i = 0; i < n; ++i) {
      const Acc deviation = static_cast<Acc>(x[at[i]]) - centre;
      squares = squares + deviation * deviation;
      deviations[static_cast<std::size_t>(i)] = deviation;
    }
    const Acc factor = reciprocal_deviation(squares, n, call.attributes[0]);
    store(mean, channel, centre);
    store(rstd, channel, factor);
    const Acc slope = factor * static_cast<Acc>(weight[channel]);
    const Acc shift = static_cast<Acc>(bias[channel]);
    for (std::int64_t i = 0; i < n; ++i) {
      store(y, at[i], deviations[static_cast<std::size_t>(i)] * slope + shift);
    }
    step(6 * n);
  }
}

template <class Acc, class X, class Weight, class Mean, class Rstd, class Dy, class Dx,
          class Dweight, class Dbias, class Step>
void batch_norm_backward(const OpCall& call, X&& x, Weight&& weight, Mean&& mean, Rstd&& rstd,
                         Dy&& dy, Dx&& dx, Dweight&& dweight, Dbias&& dbias, const Step& step) {
  const auto [outer, channels, inner] = first<3>(call.dims);
  const std::int64_t n = outer * inner;
  std::vector<Acc> scaled(static_cast<std::size_t>(n));  // x with mean 0 and deviation 1
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const ChannelElements at{channels, inner, channel};
    const Acc centre = static_cast<Acc>(mean[channel]);
    const Acc factor = static_cast<Acc>(rstd[channel]);
    Acc sum(0);
    Acc dot(0);
    for (std::int64_t i = 0; i < n; ++i) {
      const Acc cotangent = static_cast<Acc>(dy[at[i]]);
      const Acc value = (static_cast<Acc>(x[at[i]]) - centre) * factor;
      sum = sum + cotangent;
      dot = dot + cotangent * value;
      scaled[static_cast<std::size_t>(i)] = value;
    }
    store(dweight, channel, dot);
    store(dbias, channel, sum);
    const Acc mean_slope = sum / Acc(double(n));
    const Acc mean_dot = dot / Acc(double(n));
    const Acc slope = factor * static_cast<Acc>(weight[channel]);
    for (std::int64_t i = 0; i < n; ++i) {
      const Acc rest =
          static_cast<Acc>(dy[at[i]]) - mean_slope - scaled[static_cast<std::size_t>(i)] * mean_dot;
      store(dx, at[i], rest * slope);
    }
    step(9 * n);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 2> kBatchNormDefinitions{{
    {"batch_norm",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       batch_norm<Acc>(c, o.in(0), o.in(1), o.in(2), o.out(0), o.template out_as<Acc>(1),
                       o.template out_as<Acc>(2), o.step);
     }},
    {"batch_norm_backward",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       batch_norm_backward<Acc>(c, o.in(0), o.in(1), o.template in_as<Acc>(2),
                                o.template in_as<Acc>(3), o.in(4), o.out(0), o.out(1), o.out(2),
                                o.step);
     }},
}};

}  // namespace siliconprof::reference
