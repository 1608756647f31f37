#include "siliconprof/workloads/builder.h"

#include <algorithm>
#include <utility>

#include "siliconprof/ops/table.h"

namespace siliconprof {

TensorId Builder::parameter(std::string name, const Shape& shape, Initial initial) {
  return trace_.add_tensor({.name = std::move(name),
                            .shape = shape,
                            .dtype = dtype_,
                            .role = Role::Parameter,
                            .initial = initial});
}

TensorId Builder::frozen(std::string name, const Shape& shape, Initial initial) {
  return trace_.add_tensor({.name = std::move(name),
                            .shape = shape,
                            .dtype = dtype_,
                            .role = Role::Parameter,
                            .initial = initial,
                            .frozen = true});
}

TensorId Builder::input(std::string name, const Shape& shape) {
  return trace_.add_tensor({std::move(name), shape, dtype_, Role::Input});
}

TensorId Builder::indices(std::string name, const Shape& shape, std::int64_t limit) {
  return trace_.add_tensor({std::move(name), shape, Dtype::Int32, Role::Input, limit});
}

TensorId Builder::constant(std::string name, const Shape& shape, Initial initial) {
  return trace_.add_tensor({.name = std::move(name),
                            .shape = shape,
                            .dtype = dtype_,
                            .role = Role::Input,
                            .initial = initial});
}

TensorId Builder::call(std::string_view op_name, std::initializer_list<std::int64_t> dims,
                       std::initializer_list<TensorId> inputs,
                       std::initializer_list<double> attributes) {
  const Op& op = find_op(op_name);
  OpCall call =
      make_call(op, {dims.begin(), dims.size()}, dtype_, {attributes.begin(), attributes.size()});
  const Signature signature = op.signature(call);
  std::size_t i = 0;
  for (const TensorId id : inputs) {
    // Where the number of elements differs too, append says what is wrong.
    const Shape& needed = signature.inputs.at(i).shape;
    call.inputs[i++] = elements(id) == needed.elements() ? shaped(trace_, id, needed) : id;
  }
  const std::string section = trace_.sections().empty() ? "" : trace_.sections().back().name + ".";
  for (std::size_t o = 0; o < signature.outputs.size(); ++o) {
    const Slot& slot = signature.outputs[o];
    std::string name = section + std::string(op_name);
    if (o > 0) name += "." + std::to_string(o);
    call.outputs[o] = trace_.add_tensor(
        {std::move(name), slot.shape, slot.dtype_in(call), Role::Activation, slot.index_limit});
  }
  trace_.append(call);
  return call.outputs[0];
}

Trace Builder::finish(TensorId result) && {
  trace_.set_results({result});
  return std::move(trace_);
}

TensorId shaped(Trace& trace, TensorId id, const Shape& shape) {
  return trace.tensors()[std::size_t(id)].shape == shape ? id : trace.add_view(id, shape);
}

}  // namespace siliconprof
