#pragma once

// The smallest program: one call, or the vector-Jacobian product of one call.

#include <map>
#include <string>
#include <string_view>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Trace of one call of `op`, with dims and attributes by name. Its inputs have role input, its
/// outputs activation. A dim named "batch" defaults to 1, attributes to the op's defaults.
/// With `vjp`, the trace holds the backward calls alone: from the inputs and the cotangents of the
/// outputs (both role input) to the gradients of all inputs, as a training step runs them.
/// Throws UnknownNameError, ShapeError, ArgumentError (also for the vjp of an op that has none).
Trace single_op(std::string_view op, const std::map<std::string, std::int64_t>& dims, Dtype dtype,
                const std::map<std::string, double>& attributes, bool vjp);

}  // namespace siliconprof
