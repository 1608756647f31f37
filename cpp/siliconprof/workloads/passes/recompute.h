#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Computes relu(batch_norm(x)), gelu(x) and silu(x) again where the backward pass first reads
/// them: x is kept for the gradient of batch_norm, gelu or silu, so the result needs no memory in
/// between. The same calls on the same operands give the same values, for the time of one or two
/// element-wise passes. For a trace that updates no activation.
Trace recompute(const Trace& trace);

}  // namespace siliconprof
