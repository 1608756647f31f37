#pragma once

// How a vector-Jacobian rule writes down the calls it needs.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Appends a backward call of `op` on `inputs` and returns the new tensor that holds its output,
/// named `output_name`, with role gradient. dims and attributes in the op's order.
TensorId emit_gradient(Trace& trace, const Op& op, std::initializer_list<std::int64_t> dims,
                       Dtype dtype, std::initializer_list<double> attributes,
                       std::initializer_list<TensorId> inputs, std::string_view output_name,
                       bool narrow = false);

/// The same for an op with several outputs: one new tensor for each name.
std::vector<TensorId> emit_gradients(Trace& trace, const Op& op,
                                     std::initializer_list<std::int64_t> dims, Dtype dtype,
                                     std::initializer_list<double> attributes,
                                     std::initializer_list<TensorId> inputs,
                                     std::initializer_list<std::string_view> output_names,
                                     bool narrow = false);

/// The call's outputs: the tensors that the forward pass left, or else those of the same call once
/// more, in the backward phase, as new temporaries.
std::vector<TensorId> kept_outputs(Trace& trace, const OpCall& call);
/// The first of them.
TensorId kept_output(Trace& trace, const OpCall& call);

/// Appends the op's vector-Jacobian rule for `call` and returns one gradient id per input. Throws
/// ArgumentError for an op that has no rule.
std::vector<TensorId> append_vjp(Trace& trace, const OpCall& call,
                                 std::span<const TensorId> cotangents);

}  // namespace siliconprof
