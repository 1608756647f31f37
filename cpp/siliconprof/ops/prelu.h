#pragma once

// y = x where x > 0, else w·x; x of length n, w one weight that all elements share. Backward:
// prelu_backward gives dx, prelu_weight_backward gives dw = Σ x·dy over the x ≤ 0 [he2015].
// Errors: what any op refuses (op.h).
// Source: [he2015].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kPrelu;
extern const Op kPreluBackward;
extern const Op kPreluWeightBackward;

}  // namespace siliconprof
