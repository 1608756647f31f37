#include "siliconprof/ops/emit.h"

#include <algorithm>
#include <utility>

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

}  // namespace siliconprof
