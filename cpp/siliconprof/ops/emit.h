#pragma once

// How a vector-Jacobian rule writes down the calls it needs.

#include <initializer_list>
#include <string>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Appends a backward call of `op` on `inputs` and returns the new tensor that holds its output,
/// named `output_name`, with role gradient. dims and attributes in the op's order.
TensorId emit_gradient(Trace& trace, const Op& op, std::initializer_list<std::int64_t> dims,
                       Dtype dtype, std::initializer_list<double> attributes,
                       std::initializer_list<TensorId> inputs, std::string output_name);

/// The call's first output: the tensor that the forward pass left, or else the same call once
/// more, in the backward phase, into a new temporary.
TensorId kept_output(Trace& trace, const OpCall& call);

/// Appends the op's vector-Jacobian rule for `call` and returns one gradient id per input. Throws
/// ArgumentError for an op that has no rule.
std::vector<TensorId> append_vjp(Trace& trace, const OpCall& call,
                                 std::span<const TensorId> cotangents);

}  // namespace siliconprof
