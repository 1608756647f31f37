#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Appends what scales all gradients together down to a Euclidean norm of at most `max_norm`: one
/// sum of squares and one clip for each, in place, in the optimizer phase. With `fused_sums` all
/// sums join the launch of the first, with `fused` all clips. Throws ArgumentError for a norm that
/// isn't positive.
Trace clip(const Trace& trace, double max_norm, bool fused_sums = false, bool fused = false);

}  // namespace siliconprof
