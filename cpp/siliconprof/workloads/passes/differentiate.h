#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Appends the backward pass of `loss`, the first element of a forward trace's result: the gradient
/// of every trained parameter that it depends on, named "<parameter>.grad", in gradients() and
/// after the results. Each gradient has memory of its own. `cotangent` is the gradient of the loss
/// itself: a tensor of the loss's shape, or else 1. Of the forward calls all stay; of the backward
/// calls only those that a gradient needs.
/// Throws ArgumentError for a loss that is no tensor of the trace, for a trace that writes a tensor
/// twice, and where an op on the way from a parameter to the loss has no vector-Jacobian rule.
Trace differentiate(const Trace& forward, TensorId loss, TensorId cotangent = kNoTensor);

/// Of the trace's first result.
Trace differentiate(const Trace& forward);

}  // namespace siliconprof
