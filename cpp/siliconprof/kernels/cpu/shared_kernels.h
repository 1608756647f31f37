#pragma once

// The kernels that the fast engines share, a table for each family: a contents page.

#include <array>
#include <utility>

#include "siliconprof/core/joined.h"
#include "siliconprof/kernels/cpu/argmax.h"
#include "siliconprof/kernels/cpu/attention.h"
#include "siliconprof/kernels/cpu/batch_norm.h"
#include "siliconprof/kernels/cpu/bias.h"
#include "siliconprof/kernels/cpu/cast.h"
#include "siliconprof/kernels/cpu/causal_mask.h"
#include "siliconprof/kernels/cpu/convolution.h"
#include "siliconprof/kernels/cpu/cross_entropy.h"
#include "siliconprof/kernels/cpu/dropout.h"
#include "siliconprof/kernels/cpu/element_functions.h"
#include "siliconprof/kernels/cpu/elementwise.h"
#include "siliconprof/kernels/cpu/gather.h"
#include "siliconprof/kernels/cpu/gradient_scaling.h"
#include "siliconprof/kernels/cpu/group_norm.h"
#include "siliconprof/kernels/cpu/layer_norm.h"
#include "siliconprof/kernels/cpu/linear.h"
#include "siliconprof/kernels/cpu/log_mel.h"
#include "siliconprof/kernels/cpu/log_mel_gradient.h"
#include "siliconprof/kernels/cpu/matmul.h"
#include "siliconprof/kernels/cpu/matvec.h"
#include "siliconprof/kernels/cpu/normalise.h"
#include "siliconprof/kernels/cpu/nt_xent.h"
#include "siliconprof/kernels/cpu/optimizers.h"
#include "siliconprof/kernels/cpu/pool.h"
#include "siliconprof/kernels/cpu/product_functions.h"
#include "siliconprof/kernels/cpu/rearrangement.h"
#include "siliconprof/kernels/cpu/rotary.h"
#include "siliconprof/kernels/cpu/scatter.h"
#include "siliconprof/kernels/cpu/scatter_reduction.h"
#include "siliconprof/kernels/cpu/silu_gate.h"
#include "siliconprof/kernels/cpu/softmax.h"
#include "siliconprof/kernels/cpu/sort.h"
#include "siliconprof/kernels/cpu/sum.h"

namespace siliconprof::cpu {

// clang-format off
// A line for each.
/// Those that need no product.
inline constexpr auto kSharedKernels = joined(
    kElementwiseKernels,
    kSumKernels,
    kSoftmaxOpKernels,
    kArgmaxOpKernels,
    kGatherKernels,
    kScatterOpKernels,
    kScatterReductionKernels,
    kRearrangementKernels,
    kCastKernels,
    kSortOpKernels,
    kFunctionKernels,
    kLayerNormKernels,
    kGroupNormKernels,
    kBatchNormKernels,
    kNormaliseKernels,
    kCrossEntropyKernels,
    kNtXentKernels,
    kBiasKernels,
    kCausalMaskKernels,
    kAttentionOpKernels,
    kLogMelOpKernels,
    kLogMelGradientKernels,
    kOptimizerKernels,
    kGradientScalingKernels,
    kDropoutKernels,
    kRotaryKernels,
    kSiluGateKernels,
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
