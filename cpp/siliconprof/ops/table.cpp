#include "siliconprof/ops/table.h"

#include <array>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/activations.h"
#include "siliconprof/ops/adamw.h"
#include "siliconprof/ops/add.h"
#include "siliconprof/ops/argmax.h"
#include "siliconprof/ops/attention.h"
#include "siliconprof/ops/batch_norm.h"
#include "siliconprof/ops/bce.h"
#include "siliconprof/ops/bias.h"
#include "siliconprof/ops/bias_activation.h"
#include "siliconprof/ops/broadcast.h"
#include "siliconprof/ops/cast.h"
#include "siliconprof/ops/causal_mask.h"
#include "siliconprof/ops/clip.h"
#include "siliconprof/ops/concat.h"
#include "siliconprof/ops/convolution.h"
#include "siliconprof/ops/copy.h"
#include "siliconprof/ops/cross_entropy.h"
#include "siliconprof/ops/dropout.h"
#include "siliconprof/ops/embedding.h"
#include "siliconprof/ops/fill.h"
#include "siliconprof/ops/gather.h"
#include "siliconprof/ops/group_norm.h"
#include "siliconprof/ops/layer_norm.h"
#include "siliconprof/ops/linear.h"
#include "siliconprof/ops/log_mel.h"
#include "siliconprof/ops/loss_scale.h"
#include "siliconprof/ops/matmul.h"
#include "siliconprof/ops/matvec.h"
#include "siliconprof/ops/normalise.h"
#include "siliconprof/ops/nt_xent.h"
#include "siliconprof/ops/outer.h"
#include "siliconprof/ops/pool.h"
#include "siliconprof/ops/prelu.h"
#include "siliconprof/ops/rms_norm.h"
#include "siliconprof/ops/rotary.h"
#include "siliconprof/ops/scale.h"
#include "siliconprof/ops/scatter.h"
#include "siliconprof/ops/sgd.h"
#include "siliconprof/ops/silu_gate.h"
#include "siliconprof/ops/slice.h"
#include "siliconprof/ops/softmax.h"
#include "siliconprof/ops/sort.h"
#include "siliconprof/ops/sum.h"
#include "siliconprof/ops/transpose.h"
#include "siliconprof/ops/triad.h"

namespace siliconprof {
namespace {

constexpr std::array kOps{
    &kMatmul,
    &kMatvec,
    &kOuter,
    &kCopy,
    &kAdd,
    &kScale,
    &kTriad,
    &kSum,
    &kBroadcast,
    &kSoftmax,
    &kSoftmaxBackward,
    &kRelu,
    &kReluBackward,
    &kLeakyRelu,
    &kLeakyReluBackward,
    &kSelu,
    &kSeluBackward,
    &kSigmoid,
    &kSigmoidBackward,
    &kSoftplus,
    &kSoftplusBackward,
    &kGeluErf,
    &kGeluErfBackward,
    &kGeluTanh,
    &kGeluTanhBackward,
    &kSilu,
    &kSiluBackward,
    &kPrelu,
    &kPreluBackward,
    &kPreluWeightBackward,
    &kBce,
    &kBceBackward,
    &kBceTargetBackward,
    &kAttention,
    &kAttentionBackward,
    &kAttentionQkv,
    &kAttentionQkvBackward,
    &kLogMel,
    &kLogMelBackward,
    &kLogMelFiltersBackward,
    &kLinear,
    &kConv1d,
    &kConv1dDataBackward,
    &kConv1dWeightBackward,
    &kConv2d,
    &kConv2dDataBackward,
    &kConv2dWeightBackward,
    &kMaxPool2d,
    &kMaxPool2dBackward,
    &kAvgPool2d,
    &kAvgPool2dBackward,
    &kAdamW,
    &kSgd,
    &kSquareSum,
    &kClip,
    &kUnscale,
    &kUpdateScale,
    &kDropout,
    &kArgmax,
    &kGather,
    &kScatter,
    &kScatterBackward,
    &kScatterSum,
    &kScatterMax,
    &kScatterMaxBackward,
    &kEmbedding,
    &kEmbeddingBackward,
    &kEmbeddingBackwardAdd,
    &kSort,
    &kSortBackward,
    &kConcat,
    &kSlice,
    &kSliceBackward,
    &kTranspose,
    &kCastFloat64,
    &kCastFloat32,
    &kCastFloat16,
    &kCastBfloat16,
    &kFill,
    &kLayerNorm,
    &kLayerNormBackward,
    &kRmsNorm,
    &kRmsNormBackward,
    &kGroupNorm,
    &kGroupNormBackward,
    &kBatchNorm,
    &kBatchNormBackward,
    &kNormalise,
    &kNormaliseBackward,
    &kCrossEntropy,
    &kCrossEntropyBackward,
    &kNtXent,
    &kNtXentBackward,
    &kBias,
    &kBiasRelu,
    &kBiasReluBackward,
    &kBiasGeluErf,
    &kBiasGeluErfBackward,
    &kBiasGeluTanh,
    &kBiasGeluTanhBackward,
    &kCausalMask,
    &kCausalMaskBackward,
    &kRotary,
    &kSiluGate,
    &kSiluGateBackward,
};

constexpr auto kNames = [] {
  std::array<std::string_view, kOps.size()> names{};
  for (std::size_t i = 0; i < kOps.size(); ++i) names[i] = kOps[i]->name;
  return names;
};

}  // namespace

std::span<const Op* const> all_ops() { return kOps; }

std::span<const std::string_view> op_names() {
  static const auto names = kNames();
  return names;
}

const Op& find_op(std::string_view name) {
  for (const Op* op : kOps) {
    if (op->name == name) return *op;
  }
  throw_unknown_name("op", "op", name, op_names());
}

}  // namespace siliconprof
