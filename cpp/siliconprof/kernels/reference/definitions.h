#pragma once

// The definitions of all ops: one line for each family.

#include "siliconprof/core/joined.h"
#include "siliconprof/kernels/reference/activations.h"
#include "siliconprof/kernels/reference/adamw.h"
#include "siliconprof/kernels/reference/argmax.h"
#include "siliconprof/kernels/reference/attention.h"
#include "siliconprof/kernels/reference/batch_norm.h"
#include "siliconprof/kernels/reference/bce.h"
#include "siliconprof/kernels/reference/bias.h"
#include "siliconprof/kernels/reference/broadcast.h"
#include "siliconprof/kernels/reference/cast.h"
#include "siliconprof/kernels/reference/causal_mask.h"
#include "siliconprof/kernels/reference/clip.h"
#include "siliconprof/kernels/reference/convolution.h"
#include "siliconprof/kernels/reference/cross_entropy.h"
#include "siliconprof/kernels/reference/dropout.h"
#include "siliconprof/kernels/reference/elementwise.h"
#include "siliconprof/kernels/reference/gather.h"
#include "siliconprof/kernels/reference/group_norm.h"
#include "siliconprof/kernels/reference/linear.h"
#include "siliconprof/kernels/reference/log_mel.h"
#include "siliconprof/kernels/reference/loss_scale.h"
#include "siliconprof/kernels/reference/matmul.h"
#include "siliconprof/kernels/reference/matvec.h"
#include "siliconprof/kernels/reference/normalise.h"
#include "siliconprof/kernels/reference/nt_xent.h"
#include "siliconprof/kernels/reference/outer.h"
#include "siliconprof/kernels/reference/pool.h"
#include "siliconprof/kernels/reference/prelu.h"
#include "siliconprof/kernels/reference/rearrangement.h"
#include "siliconprof/kernels/reference/rms_norm.h"
#include "siliconprof/kernels/reference/rotary.h"
#include "siliconprof/kernels/reference/scatter.h"
#include "siliconprof/kernels/reference/sgd.h"
#include "siliconprof/kernels/reference/silu_gate.h"
#include "siliconprof/kernels/reference/softmax.h"
#include "siliconprof/kernels/reference/sort.h"
#include "siliconprof/kernels/reference/sum.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

// clang-format off
// A line for each.
template <class O>
inline constexpr auto kDefinitions = joined(
    kMatmulDefinitions<O>,
    kMatvecDefinitions<O>,
    kOuterDefinitions<O>,
    kElementwiseDefinitions<O>,
    kSumDefinitions<O>,
    kBroadcastDefinitions<O>,
    kSoftmaxDefinitions<O>,
    kActivationDefinitions<O>,
    kPreluDefinitions<O>,
    kBceDefinitions<O>,
    kAttentionDefinitions<O>,
    kLogMelDefinitions<O>,
    kLinearDefinitions<O>,
    kConvolutionDefinitions<O>,
    kPoolDefinitions<O>,
    kAdamWDefinitions<O>,
    kSgdDefinitions<O>,
    kClipDefinitions<O>,
    kLossScaleDefinitions<O>,
    kDropoutDefinitions<O>,
    kArgmaxDefinitions<O>,
    kGatherDefinitions<O>,
    kScatterDefinitions<O>,
    kSortDefinitions<O>,
    kRearrangementDefinitions<O>,
    kCastDefinitions<O>,
    kGroupNormDefinitions<O>,
    kRmsNormDefinitions<O>,
    kBatchNormDefinitions<O>,
    kNormaliseDefinitions<O>,
    kCrossEntropyDefinitions<O>,
    kNtXentDefinitions<O>,
    kBiasDefinitions<O>,
    kCausalMaskDefinitions<O>,
    kRotaryDefinitions<O>,
    kSiluGateDefinitions<O>);
// clang-format on

/// Runs the call's definition; false for an op that has none.
template <class O>
bool define(const OpCall& call, O& operands) {
  for (const Definition<O>& definition : kDefinitions<O>) {
    if (definition.op == call.op->name) return definition.run(call, operands), true;
  }
  return false;
}

}  // namespace siliconprof::reference
