#pragma once

// Convolutions of 3 x 3 windows at every position, and their gradients for the data, with 16
// products for 2 x 2 results (winograd_kernels.h). Rounding errors are relative to the largest of
// the 4 x 4 pixels that results share, not to each result's own terms. The same for any thread
// count.

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/scratch.h"
#include "siliconprof/kernels/cpu/winograd_tiles.h"

namespace siliconprof::cpu {

/// Result (i, j) is the sum over taps (s, t) of the input at (i + s - padding_rows,
/// j + t - padding_columns).
struct WinogradPlan {
  std::int64_t batch;
  std::int64_t depth;  // channels of the input
  std::int64_t input_rows;
  std::int64_t input_columns;
  std::int64_t channels;  // of the results
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t padding_rows;
  std::int64_t padding_columns;
  bool reversed;  // the gradient for the data: weights mirrored, terms are their outputs

  WinogradTiles tiles() const { return WinogradTiles::of_results(batch, rows, columns); }
};

WinogradPlan winograd_convolution(const Convolution& c);
WinogradPlan winograd_data_backward(const Convolution& c);

/// Computes `out`. False where a result isn't finite: differences of infinities are NaN where the
/// definition has none, so `out` is then to be computed in another way.
template <class T>
bool convolve_by_winograd(const KernelCall& k, const WinogradPlan& plan, const T* in,
                          const T* weight, T* out);

/// What it takes: the weights' factors, those of the data and products of each thread.
template <class T>
WinogradBytes winograd_bytes(const WinogradPlan& plan, int threads);

}  // namespace siliconprof::cpu
