#include "siliconprof/workloads/single_op.h"

#include <algorithm>
#include <vector>

#include "siliconprof/core/error.h"
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
                          " is missing; needed: an integer of at least 1");
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

}  // namespace

Trace single_op(std::string_view op_name, const std::map<std::string, std::int64_t>& dims,
                Dtype dtype, const std::map<std::string, double>& attributes, bool vjp) {
  const Op& op = find_op(op_name);
  OpCall call = make_call(op, dims_in_order(op, dims), dtype, attributes_in_order(op, attributes));
  Trace trace(to_string(call) + (vjp ? " vjp" : ""));
  const Signature signature = op.signature(call);
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    call.inputs[i] =
        trace.add_tensor({"input" + std::to_string(i), signature.inputs[i], dtype, Role::Input});
  }
  if (vjp) {
    std::vector<TensorId> cotangents;
    for (std::size_t i = 0; i < signature.outputs.size(); ++i) {
      cotangents.push_back(trace.add_tensor(
          {"cotangent" + std::to_string(i), signature.outputs[i], dtype, Role::Input}));
    }
    append_vjp(trace, call, cotangents);
    return trace;
  }
  for (std::size_t i = 0; i < signature.outputs.size(); ++i) {
    call.outputs[i] = trace.add_tensor(
        {"output" + std::to_string(i), signature.outputs[i], dtype, Role::Activation});
  }
  trace.append(call);
  return trace;
}

}  // namespace siliconprof
