#pragma once

#include <cstdint>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

enum class Recomputed : std::uint8_t { Activations, Casts };

/// Computes relu(batch_norm(x)), gelu(x) and silu(x) again where the backward pass first reads
/// them: x is kept for the gradient of batch_norm, gelu or silu, so the result needs no memory in
/// between. The same calls on the same operands give the same values, for the time of one or two
/// element-wise passes. Of Casts, instead, what casts widen: x is kept in its place. For a trace
/// that updates no activation.
Trace recompute(const Trace& trace, Recomputed what = Recomputed::Activations);

}  // namespace siliconprof
