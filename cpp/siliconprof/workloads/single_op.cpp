#include "siliconprof/workloads/single_op.h"

#include <algorithm>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/copy.h"
#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

std::vector<std::int64_t> dims_in_order(const Op& op,
                                        const std::map<std::string, std::int64_t>& dims) {
  for (const auto& [given, size] : dims) {
    if (std::find(op.dim_names.begin(), op.dim_names.end(), given) == op.dim_names.end()) {
      throw_unknown_name(op.name, "dimension", given, op.dim_names);
    }
  }
  std::vector<std::int64_t> ordered;
  for (const auto dim : op.dim_names) {
    const auto found = dims.find(std::string(dim));
    if (found == dims.end() && dim != "batch") {
      throw ArgumentError("[" + std::string(op.name) + "] dimension " + std::string(dim) +
                          " is missing; needed: an integer, 0 or more");
    }
    ordered.push_back(found == dims.end() ? 1 : found->second);
  }
  return ordered;
}

std::vector<double> attributes_in_order(const Op& op,
                                        const std::map<std::string, double>& attributes) {
  std::vector<std::string_view> names;
  for (const AttributeInfo& attribute : op.attributes) names.push_back(attribute.name);
  for (const auto& [given, value] : attributes) {
    if (std::find(names.begin(), names.end(), given) == names.end()) {
      throw_unknown_name(op.name, "attribute", given, names);
    }
  }
  std::vector<double> ordered;
  for (const AttributeInfo& attribute : op.attributes) {
    const auto found = attributes.find(std::string(attribute.name));
    ordered.push_back(found == attributes.end() ? attribute.default_value : found->second);
  }
  return ordered;
}

TensorId flat(Trace& trace, TensorId id) {
  return trace.add_view(id, Shape{trace.tensors()[std::size_t(id)].shape.elements()});
}

}  // namespace

Trace single_op(std::string_view op_name, const std::map<std::string, std::int64_t>& dims,
                Dtype dtype, const std::map<std::string, double>& attributes, bool vjp) {
  const Op& op = find_op(op_name);
  OpCall call = make_call(op, dims_in_order(op, dims), dtype, attributes_in_order(op, attributes));
  Trace trace(to_string(call) + (vjp ? " vjp" : ""));
  const Signature signature = op.signature(call);
  const auto tensor = [&](const std::string& name, const Slot& slot, Role role) {
    return trace.add_tensor({name, slot.shape, slot.dtype_in(call), role, slot.index_limit});
  };
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    call.inputs[i] = tensor("input" + std::to_string(i), signature.inputs[i], Role::Input);
  }
  if (vjp) {
    std::vector<TensorId> cotangents;
    for (std::size_t i = 0; i < signature.outputs.size(); ++i) {
      const Slot& slot = signature.outputs[i];
      // Nothing is differentiated through indices or kept statistics.
      const bool followed = i == 0 && slot.dtype_in(call) != Dtype::Int32;
      cotangents.push_back(followed ? tensor("cotangent", slot, Role::Input) : kNoTensor);
    }
    std::vector<TensorId> gradients;
    for (TensorId id : append_vjp(trace, call, cotangents)) {
      if (id == kNoTensor) continue;
      // A gradient that is the cotangent itself becomes a result of its own.
      const TensorInfo info = trace.tensors()[std::size_t(id)];
      if (info.role == Role::Input) {
        id = emit_gradient(trace, kCopy, {info.shape.elements()}, info.dtype, {}, {flat(trace, id)},
                           "dx");
        id = trace.add_view(id, info.shape);
      }
      gradients.push_back(id);
    }
    trace.set_results(std::move(gradients));
    return trace;
  }
  for (std::size_t i = 0; i < signature.outputs.size(); ++i) {
    call.outputs[i] = tensor("output" + std::to_string(i), signature.outputs[i], Role::Activation);
  }
  trace.append(call);
  return trace;
}

}  // namespace siliconprof
