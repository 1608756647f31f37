#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Marks the calls of a step whose operands lie across each other (OpCall::crosses), as PyTorch
/// leaves them: what convolutions and pools make has places as neighbours in memory; what goes over
/// elements lays its result as its first operand lies, and so does a batch norm; all others lay
/// rows, whose channels are neighbours. Where both meet in one kernel, where a norm of rows copies
/// what lies otherwise before it reads it, and where a sum of each channel goes along its places,
/// the call is marked. Where data lie is nothing to a trace: its values are what they were.
/// Source: PyTorch's TensorIterator (strides of outputs) and native_layer_norm, which asks for
/// contiguous input.
Trace lie_across(const Trace& trace);

}  // namespace siliconprof
