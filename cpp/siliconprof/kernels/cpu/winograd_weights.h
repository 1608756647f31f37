#pragma once

// The gradient of a convolution's weights with 16 products for the 2 x 2 results and 3 x 3 weights
// of a tile, where winograd_suits says so. The same for any thread count.

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/winograd_tiles.h"

namespace siliconprof::cpu {

/// dweight (outputs, taps, channels). False where a gradient isn't finite: `dweight` is then to be
/// computed in another way.
template <class T>
bool sum_weights_by_winograd(const KernelCall& k, const Convolution& c, const T* x, const T* dy,
                             T* dweight);

/// What it takes: sums of products, and factors of some tiles.
template <class T>
WinogradBytes winograd_sums_bytes(const Convolution& c, int threads);

}  // namespace siliconprof::cpu
