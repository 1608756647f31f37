#include "siliconprof/ops/emit.h"

#include <algorithm>
#include <utility>

#include "siliconprof/core/error.h"

namespace siliconprof {

std::vector<TensorId> emit_gradients(Trace& trace, const Op& op,
                                     std::initializer_list<std::int64_t> dims, Dtype dtype,
                                     std::initializer_list<double> attributes,
                                     std::initializer_list<TensorId> inputs,
                                     std::initializer_list<std::string_view> output_names,
                                     bool narrow) {
  OpCall call =
      make_call(op, {dims.begin(), dims.size()}, dtype, {attributes.begin(), attributes.size()});
  call.phase = Phase::Backward;
  std::copy(inputs.begin(), inputs.end(), call.inputs.begin());
  const Signature signature = op.signature(call);
  std::vector<TensorId> outputs;
  for (const std::string_view output_name : output_names) {
    const Slot& slot = signature.outputs.at(outputs.size());
    outputs.push_back(trace.add_tensor(
        {std::string(output_name), slot.shape, slot.dtype_in(call), Role::Gradient}));
  }
  std::copy(outputs.begin(), outputs.end(), call.outputs.begin());
  call.narrow = narrow;
  trace.append(call);
  return outputs;
}

TensorId emit_gradient(Trace& trace, const Op& op, std::initializer_list<std::int64_t> dims,
                       Dtype dtype, std::initializer_list<double> attributes,
                       std::initializer_list<TensorId> inputs, std::string_view output_name,
                       bool narrow) {
  return emit_gradients(trace, op, dims, dtype, attributes, inputs, {output_name}, narrow).front();
}

std::vector<TensorId> kept_outputs(Trace& trace, const OpCall& call) {
  const std::vector<Slot> slots = call.op->signature(call).outputs;
  OpCall again = call;
  if (call.outputs[0] == kNoTensor) {
    again.phase = Phase::Backward;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      again.outputs[i] =
          trace.add_tensor({"y" + std::to_string(i), slots[i].shape, slots[i].dtype_in(call),
                            Role::Temporary, slots[i].index_limit});
    }
    trace.append(again);
  }
  return {again.outputs.begin(), again.outputs.begin() + std::ptrdiff_t(slots.size())};
}

TensorId kept_output(Trace& trace, const OpCall& call) { return kept_outputs(trace, call).front(); }

std::vector<TensorId> append_vjp(Trace& trace, const OpCall& call,
                                 std::span<const TensorId> cotangents) {
  if (call.op->vjp == nullptr) {
    throw ArgumentError("[" + std::string(call.op->name) +
                        "] has no vector-Jacobian rule; needed: an op that can be differentiated");
  }
  return call.op->vjp(trace, call, cotangents);
}

}  // namespace siliconprof
