#include "siliconprof/ops/emit.h"

#include <algorithm>
#include <utility>

#include "siliconprof/core/error.h"

namespace siliconprof {

TensorId emit_gradient(Trace& trace, const Op& op, std::initializer_list<std::int64_t> dims,
                       Dtype dtype, std::initializer_list<double> attributes,
                       std::initializer_list<TensorId> inputs, std::string output_name) {
  OpCall call =
      make_call(op, {dims.begin(), dims.size()}, dtype, {attributes.begin(), attributes.size()});
  call.phase = Phase::Backward;
  std::copy(inputs.begin(), inputs.end(), call.inputs.begin());
  const Shape shape = op.signature(call).outputs.front();
  const TensorId output = trace.add_tensor({std::move(output_name), shape, dtype, Role::Gradient});
  call.outputs[0] = output;
  trace.append(call);
  return output;
}

TensorId kept_output(Trace& trace, const OpCall& call) {
  if (call.outputs[0] != kNoTensor) return call.outputs[0];
  OpCall again = call;
  again.phase = Phase::Backward;
  const Shape shape = call.op->signature(call).outputs.front();
  again.outputs[0] = trace.add_tensor({"y", shape, call.dtype, Role::Temporary});
  trace.append(again);
  return again.outputs[0];
}

std::vector<TensorId> append_vjp(Trace& trace, const OpCall& call,
                                 std::span<const TensorId> cotangents) {
  if (call.op->vjp == nullptr) {
    throw ArgumentError("[" + std::string(call.op->name) +
                        "] has no vector-Jacobian rule; needed: an op that can be differentiated");
  }
  return call.op->vjp(trace, call, cotangents);
}

}  // namespace siliconprof
