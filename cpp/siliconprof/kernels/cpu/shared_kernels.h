#pragma once

// The kernels that the fast engines share, a table for each family: a contents page.

#include <array>
#include <utility>

#include "siliconprof/core/joined.h"
#include "siliconprof/kernels/cpu/convolution.h"
#include "siliconprof/kernels/cpu/element_functions.h"
#include "siliconprof/kernels/cpu/elementwise.h"
#include "siliconprof/kernels/cpu/linear.h"
#include "siliconprof/kernels/cpu/matmul.h"
#include "siliconprof/kernels/cpu/matvec.h"
#include "siliconprof/kernels/cpu/pool.h"
#include "siliconprof/kernels/cpu/product_functions.h"
#include "siliconprof/kernels/cpu/softmax.h"
#include "siliconprof/kernels/cpu/sum.h"

namespace siliconprof::cpu {

// clang-format off
// A line for each.
/// Those that need no product.
inline constexpr auto kSharedKernels = joined(
    kElementwiseKernels,
    kSumKernels,
    kSoftmaxOpKernels,
    kFunctionKernels,
    kConvolutionKernels,
    kLinearKernels,
    kPoolOpKernels);

/// Those that are made of an engine's products.
inline constexpr auto kProductKernels = joined(
    kMatmulKernels,
    kMatvecKernels);
// clang-format on

/// All of them for the engine whose products `Functions` returns.
template <const ProductFunctions& (*Functions)()>
constexpr auto engine_kernels() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return joined(std::array<Kernel, sizeof...(I)>{{{kProductKernels[I].op,
                                                     [](const KernelCall& call) {
                                                       kProductKernels[I].run(Functions(), call);
                                                     }}...}},
                  kSharedKernels);
  }
  (std::make_index_sequence<kProductKernels.size()>());
}

}  // namespace siliconprof::cpu
