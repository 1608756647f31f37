#pragma once

// One step of stochastic gradient descent with momentum, as PyTorch takes it:
//   g' = g + decay·p, v' = momentum·v + g', p' = p - rate·v'
// with nesterov p' = p - rate·(g' + momentum·v'). Parameter p, gradient g; the velocity v is a
// statistic, 0 before the first step.
// Errors: what any op refuses (op.h), a rate, momentum or decay below 0, a look-ahead
// without momentum (ArgumentError).
// Source: [sutskever2013], and PyTorch's SGD for the form of it.

#include "siliconprof/ops/op.h"

namespace siliconprof {

/// parameter, gradient, velocity → parameter, velocity.
extern const Op kSgd;

}  // namespace siliconprof
