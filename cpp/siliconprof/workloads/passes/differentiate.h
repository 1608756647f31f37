#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Appends the backward pass of `loss` to a forward trace: the gradient of every trained parameter
/// that the loss depends on, named "<parameter>.grad", in gradients() and after the results. Each
/// gradient has memory of its own. The gradient of the loss itself is `factor` times `cotangent`, a
/// tensor of the loss's shape or else 1. Calls that neither a result nor a gradient needs go.
/// Throws ArgumentError for a loss that is no tensor of the trace, for a trace that writes a tensor
/// twice, and where an op on the way from a parameter to the loss has no vector-Jacobian rule.
Trace differentiate(const Trace& forward, TensorId loss, TensorId cotangent = kNoTensor,
                    double factor = 1.0);

/// Of the trace's first result.
Trace differentiate(const Trace& forward);

}  // namespace siliconprof
