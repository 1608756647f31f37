#pragma once

// The scaling of a loss that keeps small gradients of float16 above 0, as PyTorch's GradScaler:
//   unscale       g' = g/scale; found' = 1 where any g is infinite or NaN, else found
//   update_scale  where found > 0: scale·backoff_factor and tracker 0; else tracker + 1, and once
//                 that reaches growth_interval scale·growth_factor (kept if that is not finite) and
//                 tracker 0
// g of length n; scale, tracker and found are statistics of length 1.
// Errors: what any op refuses (op.h), factors that aren't above 0, an interval that is
// no whole number from 1 on
// (ArgumentError).
// Source: [micikevicius2018], and PyTorch's GradScaler for the rule.

#include "siliconprof/ops/op.h"

namespace siliconprof {

/// gradient, scale, found → gradient, found.
extern const Op kUnscale;
/// scale, tracker, found → scale, tracker. It has no dims.
extern const Op kUpdateScale;

}  // namespace siliconprof
