#pragma once

// Group and layer normalisation and their gradients by definition; Acc and step as in matmul.h.

#include <array>
#include <cmath>
#include <vector>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// What is normalised together: `channels` runs of `inner` elements, one after the other.
struct Groups {
  std::int64_t batch;
  std::int64_t groups;
  std::int64_t channels;
  std::int64_t inner;
  std::int64_t size() const { return channels * inner; }
};

/// 1/√(variance + epsilon) of the terms whose squared deviations add up to `squares`.
template <class Acc>
Acc reciprocal_deviation(const Acc& squares, std::int64_t terms, double epsilon) {
  using std::sqrt;
  return Acc(1) / sqrt(squares / Acc(double(terms)) + Acc(epsilon));
}

template <class Acc, class X, class Weight, class Bias, class Y, class Mean, class Rstd, class Step>
void group_norm(const Groups& g, double epsilon, X&& x, Weight&& weight, Bias&& bias, Y&& y,
                Mean&& mean, Rstd&& rstd, const Step& step) {
  const std::int64_t n = g.size();
  std::vector<Acc> deviations(static_cast<std::size_t>(n));
  for (std::int64_t row = 0; row < g.batch * g.groups; ++row) {
    Acc sum(0);
    for (std::int64_t i = 0; i < n; ++i) sum = sum + static_cast<Acc>(x[row * n + i]);
    const Acc centre = sum / Acc(double(n));
    Acc squares(0);
    for (std::int64_t i = 0; i < n; ++i) {
      const Acc deviation = static_cast<Acc>(x[row * n + i]) - centre;
      squares = squares + deviation * deviation;
      deviations[static_cast<std::size_t>(i)] = deviation;
    }
    const Acc factor = reciprocal_deviation(squares, n, epsilon);
    store(mean, row, centre);
    store(rstd, row, factor);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t channel = row % g.groups * g.channels + i / g.inner;
      store(y, row * n + i,
            deviations[static_cast<std::size_t>(i)] * factor * static_cast<Acc>(weight[channel]) +
                static_cast<Acc>(bias[channel]));
    }
    step(7 * n);
  }
}

/// What all backward definitions of a normalisation take, in the order of the op's inputs and
/// outputs.
template <class Acc, class X, class Weight, class Mean, class Rstd, class Dy, class Dx,
          class Dweight, class Dbias, class Step>
void group_norm_backward(const Groups& g, X&& x, Weight&& weight, Mean&& mean, Rstd&& rstd, Dy&& dy,
                         Dx&& dx, Dweight&& dweight, Dbias&& dbias, const Step& step) {
  const std::int64_t n = g.size();
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  std::vector<Acc> weight_sums(at(g.groups * g.channels), Acc(0));
  std::vector<Acc> bias_sums(weight_sums);
  std::vector<Acc> scaled(at(n));  // x as if normalised to mean 0 and deviation 1
  std::vector<Acc> slopes(at(n));  // of the loss by those
  for (std::int64_t row = 0; row < g.batch * g.groups; ++row) {
    const Acc centre = static_cast<Acc>(mean[row]);
    const Acc factor = static_cast<Acc>(rstd[row]);
    Acc sum(0);
    Acc dot(0);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t channel = row % g.groups * g.channels + i / g.inner;
      const Acc cotangent = static_cast<Acc>(dy[row * n + i]);
      const Acc value = (static_cast<Acc>(x[row * n + i]) - centre) * factor;
      const Acc slope = cotangent * static_cast<Acc>(weight[channel]);
      sum = sum + slope;
      dot = dot + slope * value;
      weight_sums[at(channel)] = weight_sums[at(channel)] + cotangent * value;
      bias_sums[at(channel)] = bias_sums[at(channel)] + cotangent;
      scaled[at(i)] = value;
      slopes[at(i)] = slope;
    }
    const Acc mean_slope = sum / Acc(double(n));
    const Acc mean_dot = dot / Acc(double(n));
    for (std::int64_t i = 0; i < n; ++i) {
      store(dx, row * n + i, (slopes[at(i)] - mean_slope - scaled[at(i)] * mean_dot) * factor);
    }
    step(13 * n);
  }
  for (std::int64_t channel = 0; channel < g.groups * g.channels; ++channel) {
    store(dweight, channel, weight_sums[at(channel)]);
    store(dbias, channel, bias_sums[at(channel)]);
  }
}

inline Groups rows_as_groups(const OpCall& c) { return {c.dims[0], 1, c.dims[1], 1}; }
inline Groups groups_of(const OpCall& c) { return {c.dims[0], c.dims[1], c.dims[2], c.dims[3]}; }

template <class O, Groups (*shape)(const OpCall&)>
void define_group_norm(const OpCall& c, O& o) {
  using Acc = typename O::Acc;
  group_norm<Acc>(shape(c), c.attributes[0], o.in(0), o.in(1), o.in(2), o.out(0),
                  o.template out_as<Acc>(1), o.template out_as<Acc>(2), o.step);
}

template <class O, Groups (*shape)(const OpCall&)>
void define_group_norm_backward(const OpCall& c, O& o) {
  using Acc = typename O::Acc;
  group_norm_backward<Acc>(shape(c), o.in(0), o.in(1), o.template in_as<Acc>(2),
                           o.template in_as<Acc>(3), o.in(4), o.out(0), o.out(1), o.out(2), o.step);
}

template <class O>
inline constexpr std::array<Definition<O>, 4> kGroupNormDefinitions{{
    {"layer_norm", define_group_norm<O, rows_as_groups>},
    {"layer_norm_backward", define_group_norm_backward<O, rows_as_groups>},
    {"group_norm", define_group_norm<O, groups_of>},
    {"group_norm_backward", define_group_norm_backward<O, groups_of>},
}};

}  // namespace siliconprof::reference
