#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// What a framework fuses, materialises and launches. The defaults are this library's own kernels.
struct Lowering {
  bool fused_attention = true;   // else transposes, scores, mask, softmax and values, each in memory
  bool bias_in_product = true;   // else a linear layer is a product and a bias
  bool bias_in_activation = false;  // a bias joins the activation behind it
  bool fused_optimizer = false;  // one launch updates all parameters

  bool operator==(const Lowering&) const = default;
};

/// A forward trace in the calls that the framework makes of it. What is differentiated later follows
/// by itself. (fused_optimizer is for who adds the optimizer.)
Trace lower(const Trace& forward, const Lowering& traits);

}  // namespace siliconprof
