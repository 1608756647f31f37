#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Where an op runs under automatic mixed precision.
enum class CastPolicy : std::uint8_t {
  Low,     // in the 16-bit format: products, convolutions, attention
  Full,    // in float32: softmax, norms, losses, sums
  Widest,  // in the widest dtype among its inputs, as PyTorch promotes: add, concat
  Follow,  // in the dtype of its first input: everything else
};
/// As torch.autocast("cuda") decides, but for positions: a bias of anything but a convolution is an
/// addition, which promotes.
CastPolicy cast_policy(const Op& op);

/// How a model and a framework differ in what is cast.
struct AutocastOptions {
  bool widens_logits = false;  // the model itself, before its loss
  bool reads_mixed = false;    // a sum reads operands of another format as they are
};

/// A forward trace in float32 with casts where torch.autocast places them: parameters are cast once
/// per step and dtype, anything else at each use. A promotion that PyTorch makes inside a kernel is
/// a cast of its own here, without a launch, and where `reads_mixed` what it makes stays inside
/// that kernel; so are casts of a batch_norm's weights, which PyTorch leaves in float32, and of a
/// loss's logits, unless the model widens them itself. Gradients of parameters come out in float32,
/// since casts are differentiated too. Throws DtypeError unless `low` is float16 or bfloat16.
Trace autocast(const Trace& forward, Dtype low, const AutocastOptions& options = {});

}  // namespace siliconprof
