#pragma once

// What the normalisations' tests share: the sizes behind their roundings.

#include <functional>

#include "rounding_agreement.h"

namespace siliconprof::cpu {

/// Which elements share statistics, and which weight is whose.
struct NormMap {
  std::int64_t elements;
  std::int64_t sets;  // that are normalised alone
  std::int64_t parameters;
  std::function<std::int64_t(std::int64_t)> set;
  std::function<std::int64_t(std::int64_t)> parameter;

  std::int64_t n() const { return sets > 0 ? elements / sets : 0; }
};

/// The example with these inputs, else in [-1, 1), around 1000: a mean that a deviation of x is
/// small beside.
inline Example far_from_0(Example example, const std::vector<std::size_t>& inputs) {
  for (const std::size_t which : inputs) {
    const Tensor& tensor = example.inputs[which];
    const Values values = to_values(tensor.view());
    for (std::size_t i = 0; i < values.size(); ++i) {
      set(tensor, std::int64_t(i), 1000.1 + values[i]);
    }
  }
  return example;
}

/// Deviations from the mean are as exact as numbers of their own size add up, wherever it lies.
inline void expect_norm_agrees(const Example& example, const NormMap& map, bool centred,
                               int threads) {
  Expected expected(example, lane_terms(map.n()) + 12);
  const auto at = [](std::int64_t i) { return std::size_t(i); };
  const Values& rstd = expected.exact[centred ? 2 : 1];
  for (std::int64_t i = 0; i < map.elements; ++i) {
    const double weight = expected.in[1][at(map.parameter(i))];
    const double bias = centred ? expected.in[2][at(map.parameter(i))] : 0.0;
    expected.sizes[0][at(i)] = 3 * std::abs(rstd[at(map.set(i))] * weight) + std::abs(bias);
  }
  if (centred) expected.sizes[1].assign(expected.sizes[1].size(), 1.0);
  expect_rounded(example, expected, double(map.n()), threads);
}

/// The kept numbers are whatever is in [-1, 1): the formula holds for all.
inline void expect_norm_gradient_agrees(const Example& example, const NormMap& map, bool centred,
                                        int threads) {
  // Weights' gradients add up to 64 rows, or columns of a block, at a time.
  Expected expected(example, lane_terms(map.n()) + 64 + 12);
  const auto at = [](std::int64_t i) { return std::size_t(i); };
  const std::vector<Values>& in = expected.in;
  const Values& rstd = in[centred ? 3 : 2];
  const Values& dy = in[centred ? 4 : 3];
  const auto scaled = [&](std::int64_t i) {
    const std::int64_t set = map.set(i);
    return std::abs((in[0][at(i)] - (centred ? in[2][at(set)] : 0.0)) * rstd[at(set)]);
  };
  const auto slope = [&](std::int64_t i) {
    return std::abs(dy[at(i)] * in[1][at(map.parameter(i))]);
  };
  Values slopes(at(map.sets));
  Values dots(at(map.sets));
  for (std::size_t which = 1; which < expected.sizes.size(); ++which) {
    expected.sizes[which].assign(at(map.parameters), 0.0);
  }
  for (std::int64_t i = 0; i < map.elements; ++i) {
    slopes[at(map.set(i))] += slope(i) / double(map.n());
    dots[at(map.set(i))] += slope(i) * scaled(i) / double(map.n());
    expected.sizes[1][at(map.parameter(i))] += std::abs(dy[at(i)]) * scaled(i);
    if (centred) expected.sizes[2][at(map.parameter(i))] += std::abs(dy[at(i)]);
  }
  for (std::int64_t i = 0; i < map.elements; ++i) {
    const std::int64_t set = map.set(i);
    expected.sizes[0][at(i)] =
        std::abs(rstd[at(set)]) * (slope(i) + slopes[at(set)] + scaled(i) * dots[at(set)]);
  }
  expect_rounded(example, expected, double(map.elements), threads);
}

/// Both ways in each format, on two threads, around 1000; `seed` of the gradient's numbers.
inline void expect_far_from_0_agrees(const std::string& op, const std::vector<std::int64_t>& dims,
                                     const NormMap& map, int seed) {
  for (const Dtype dtype : kCpuDtypes) {
    expect_norm_agrees(far_from_0(Example(op, dims, dtype, {}, 1), {0}), map, true, 2);
    expect_norm_gradient_agrees(
        far_from_0(Example(op + "_backward", dims, dtype, {}, seed), {0, 2}), map, true, 2);
  }
}

/// By definition all of a set come out at their bias where the squares of its deviations are past
/// float64's largest number.
inline void expect_bias_where_squares_overflow(const std::string& op,
                                               const std::vector<std::int64_t>& dims) {
  for (const double large : {6e154, -1e300, 1e307}) {
    const Example example(op, dims, Dtype::Float64, {}, 1);
    example.inputs[0].view().as<double>()[0] = large;
    const Expected expected(example, 16);
    EXPECT_EQ(expected.exact[2][0], 0) << "1/σ";
    SCOPED_TRACE(large);
    expect_rounded(example, expected, double(example.inputs[0].view().elements()), 1);
  }
}

}  // namespace siliconprof::cpu
