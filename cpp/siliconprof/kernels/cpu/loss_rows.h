#pragma once

// What cross_entropy and nt_xent share: a loss that is the mean over rows of a logarithm less one
// score of the row.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/loss_kernels.h"
#include "siliconprof/kernels/cpu/pieces.h"

namespace siliconprof::cpu {

inline double element(const TensorView& view, std::int64_t at) {
  double value = 0.0;
  with_element_type(view.dtype, [&]<class T>() { value = double(view.as<const T>()[at]); });
  return value;
}

inline void set_element(const TensorView& view, std::int64_t at, double value) {
  with_element_type(view.dtype,
                    [&]<class T>() { view.as<T>()[at] = T(static_cast<Accumulator<T>>(value)); });
}

inline double logarithm(const ExpSum& sum) { return std::log(sum.total) + sum.reference; }

/// A row's shares are factor·exp(scale·x - reference).
struct RowShares {
  double reference;
  double factor;
};

/// From a row's logarithm as it was kept. Of large scores it has lost digits that shares need (in
/// float32 below 256 at most 8e-6 of them): such a row's sum, `sum_of_row()`, is taken once more.
template <class SumOfRow>
RowShares row_shares(double kept, double factor, const SumOfRow& sum_of_row) {
  constexpr double precise = 256;
  if (std::abs(kept) <= precise || !std::isfinite(kept)) return {kept, factor};
  const ExpSum sum = sum_of_row();
  return {sum.reference, factor / sum.total};
}

/// Sets output 0 to the mean over rows of logarithm - score and output 1 to the logarithms.
/// row_of(row, score&) returns a row's logarithm.
template <class RowOf>
void mean_loss(const KernelCall& k, std::int64_t rows, std::int64_t row_bytes,
               const RowOf& row_of) {
  std::vector<double> losses(static_cast<std::size_t>(rows));
  run_in_pieces(k, rows, std::max<std::int64_t>(1, row_bytes),
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t row = begin; row < end; ++row) {
                    double score = 0;
                    const double lse = row_of(row, score);
                    set_element(k.outputs[1], row, lse);
                    losses[static_cast<std::size_t>(row)] = lse - score;
                  }
                });
  const double total = std::accumulate(losses.begin(), losses.end(), 0.0);
  set_element(k.outputs[0], 0, total / double(rows));
}

}  // namespace siliconprof::cpu
