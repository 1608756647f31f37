#pragma once

// What attention and its gradient are in float64, and how far rounding can lead from it.

#include <cmath>
#include <limits>

#include "engine_agreement.h"
#include "siliconprof/kernels/reference/attention.h"
#include "siliconprof/ops/attention_layout.h"

namespace siliconprof::cpu {

/// Operands of a gradient, each in an array of its own or q, k and v in one.
struct AttentionValues {
  const double* q;
  const double* k;
  const double* v;
  const double* y;
  const double* lse;
  const double* dy;
};

/// Bounds of the absolute error, element by element, before the result is rounded to its format.
struct AttentionBounds {
  Values y;
  Values lse;
  Values dq;  // these three as long as the tensors that hold them
  Values dk;
  Values dv;
};

/// Per pair (i, j): a score is a sum of d terms, scaled twice (by 1/√d and log2 e), from which the
/// row's largest or lse is taken away; its error, that of an exponential (4 roundings) and of a sum
/// of n of them make p's relative one. ds has an error of p's and that of two sums of d terms; sums
/// over queries or keys add one rounding a term (Higham, Accuracy and Stability, 3.1). u is a
/// twentieth more than the roundoff, for products of errors. Where p and ds are rounded before they
/// are multiplied, of_factors is that roundoff.
inline AttentionBounds attention_bounds(const AttentionLayout& a, const AttentionValues& in,
                                        std::size_t q_size, std::size_t k_size, double roundoff,
                                        double of_factors = 0) {
  const double u = 1.05 * roundoff;
  const double scale = 1.0 / std::sqrt(double(a.head_dim));
  const double d = double(a.head_dim);
  AttentionBounds bounds{Values(std::size_t(a.batch * a.queries * a.y_row())),
                         Values(std::size_t(a.batch * a.heads * a.queries)), Values(q_size),
                         Values(k_size), Values(k_size)};
  const auto sizes = [&](const double* x, std::int64_t first, const double* y,
                         std::int64_t second) {
    double sum = 0;
    for (std::int64_t c = 0; c < a.head_dim; ++c) sum += std::abs(x[first + c] * y[second + c]);
    return sum;
  };
  for (std::int64_t row = 0; row < a.batch * a.heads * a.queries; ++row) {
    const std::int64_t i = row % a.queries;
    const std::int64_t h = row / a.queries % a.heads;
    const reference::AttentionHead head{a, row / a.queries / a.heads, h};
    const auto n = double(a.seen(i));
    double worst = 0;
    for (std::int64_t j = 0; j < a.seen(i); ++j) {
      worst = std::max(worst, scale * sizes(in.q, head.q(i), in.k, head.k(j)));
    }
    const double lse = in.lse[head.lse(i)];
    const double of_p = (2 * (d + 4) * worst + 2 * std::abs(lse) + n + 12) * u;
    bounds.lse[std::size_t(head.lse(i))] = of_p + 2 * u * std::abs(lse);
    const double dot = sizes(in.y, head.y(i), in.dy, head.y(i));
    for (std::int64_t j = 0; j < a.seen(i); ++j) {
      const double p = std::exp(
          scale * reference::dot<double>(in.q, head.q(i), in.k, head.k(j), a.head_dim) - lse);
      const double ds = p * (sizes(in.dy, head.y(i), in.v, head.v(j)) + dot) * scale;
      const double of_ds = of_p + (d + 6) * u;
      for (std::int64_t c = 0; c < a.head_dim; ++c) {
        const auto at = [c](std::int64_t first) { return std::size_t(first + c); };
        bounds.y[at(head.y(i))] +=
            (2 * (of_p + n * u) + of_factors) * p * std::abs(in.v[at(head.v(j))]);
        bounds.dq[at(head.q(i))] +=
            (of_ds + n * u + of_factors) * ds * std::abs(in.k[at(head.k(j))]);
        bounds.dk[at(head.k(j))] +=
            (of_ds + double(a.queries) * u + of_factors) * ds * std::abs(in.q[at(head.q(i))]);
        bounds.dv[at(head.v(j))] +=
            (of_p + double(a.queries) * u + of_factors) * p * std::abs(in.dy[at(head.y(i))]);
      }
    }
  }
  return bounds;
}

}  // namespace siliconprof::cpu
