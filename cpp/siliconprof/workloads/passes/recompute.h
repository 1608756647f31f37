#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Computes relu(batch_norm(x)) again where the backward pass first reads it: x is kept for
/// batch_norm's own gradient, so the result needs no memory in between. The same calls on the same
/// operands give the same values, for the time of two element-wise passes. For a trace that updates
/// no activation.
Trace recompute(const Trace& trace);

}  // namespace siliconprof
