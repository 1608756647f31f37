#pragma once

// One step of AdamW (Loshchilov and Hutter), as PyTorch takes it, on n parameters at once:
//   m' = m + (1 - beta1)·(g - m), v' = beta2·v + (1 - beta2)·g²
//   p' = (1 - rate·decay)·p - rate/(1 - beta1^step)·m'/(√v'/√(1 - beta2^step) + epsilon)
// parameter p, gradient g; m and v are statistics. `step` counts from 1.
// Errors: what any op refuses (op.h), a rate, decay or epsilon below 0, a beta outside [0, 1), a
// step that is no whole number from 1 on (ArgumentError).
// Source: [loshchilov2019], and PyTorch's AdamW for the order of the terms.

#include "siliconprof/ops/op.h"

namespace siliconprof {

/// parameter, gradient, m, v → parameter, m, v.
extern const Op kAdamW;

}  // namespace siliconprof
