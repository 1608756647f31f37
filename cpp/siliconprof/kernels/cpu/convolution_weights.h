#pragma once

// The gradient of a convolution's weights: products of the data under a tap with the results'
// cotangents, summed over all windows.

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/ops/convolution.h"

namespace siliconprof::cpu {

/// x, dy → dweight in T, float or double; k gives threads and poll. The same for any thread count.
template <class T>
void sum_weight_gradient(const KernelCall& k, const Convolution& c, const T* x, const T* dy,
                         T* dweight);

/// Bytes of the partial sums that this keeps.
template <class T>
std::int64_t weight_sums_bytes(const KernelCall& k, const Convolution& c);

}  // namespace siliconprof::cpu
