#include "siliconprof/workloads/passes/lower.h"

#include <cmath>
#include <set>
#include <string>

#include "siliconprof/workloads/passes/materialised_attention.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

class Lower {
 public:
  Lower(const Trace& forward, const Lowering& traits)
      : copy_(forward), traits_(traits), readers_(readers(forward)) {}

  Trace run() {
    const auto& calls = copy_.from().calls();
    for (std::size_t i = 0; i < calls.size(); ++i) {
      copy_.enter_section_of(i);
      const OpCall& call = calls[i];
      const OpCall* next = i + 1 < calls.size() ? &calls[i + 1] : nullptr;
      if (call.op->name == "broadcast") repeated_.insert(copy_.from().owner(call.outputs[0]));
      if (is_materialised(call)) {
        put(call, materialise_attention(copy_.made(), copy_.mapped_inputs(call),
                                        traits_.torch_attention || !traits_.fused_groups));
      } else if (call.op->name == "attention" && traits_.copied_heads) {
        copy_heads(call);
      } else if (call.op->name == "linear" || call.op->name == "bias") {
        i += lower_bias(call, next) ? 1 : 0;
      } else if (is_bias_activation(call) && traits_.bias_activation == BiasActivation::Apart) {
        split(call);
      } else if (call.op->name == "triad" && !traits_.scaled_sum) {
        scale_and_add(call);
      } else {
        copy_.append(call);
      }
    }
    return copy_.finish();
  }

 private:
  bool is_materialised(const OpCall& call) const {
    if (call.op->name == "attention_qkv") return !traits_.fused_attention;
    if (call.op->name != "attention") return false;
    const bool in_groups = repeated_.contains(copy_.from().owner(call.inputs[1]));
    return !traits_.fused_attention || (in_groups && !traits_.fused_groups);
  }

  static bool is_bias_activation(const OpCall& call) {
    return call.op->name.starts_with("bias_") && !call.op->name.ends_with("_backward");
  }

  /// `made`, in the shape of the call's output, stands for it.
  void put(const OpCall& call, TensorId made) {
    const Shape& shape = copy_.from().tensors()[std::size_t(call.outputs[0])].shape;
    copy_.replace(call.outputs[0], copy_.made().add_view(made, shape));
  }

  TensorId append(const OpCall& like, std::string_view op, std::initializer_list<std::int64_t> dims,
                  std::initializer_list<double> attributes,
                  std::initializer_list<TensorId> inputs) {
    const std::string& name = copy_.from().tensors()[std::size_t(like.outputs[0])].name;
    return append_call(copy_.made(), op, dims, like.dtype, like.phase, attributes, inputs,
                       name + "." + std::string(op), Role::Activation);
  }

  /// Where a copy lies is nothing to a trace: one of each token's row in its place stands for it.
  void copy_heads(const OpCall& call) {
    const std::int64_t width = call.dims[1] * call.dims[4];
    const auto copied = [&](TensorId id, std::int64_t tokens) {
      return append(call, "transpose", {call.dims[0], 1, tokens, width}, {}, {id});
    };
    const TensorId q = copied(copy_.id(call.inputs[0]), call.dims[2]);
    const TensorId k = copied(copy_.id(call.inputs[1]), call.dims[3]);
    const TensorId v = copied(copy_.id(call.inputs[2]), call.dims[3]);
    const TensorId y = append(
        call, "attention", {call.dims[0], call.dims[1], call.dims[2], call.dims[3], call.dims[4]},
        {call.attributes[0]}, {q, k, v});
    put(call, copied(y, call.dims[2]));
  }

  /// A linear layer or a bias, with the activation behind it where it joins; true where it did.
  bool lower_bias(const OpCall& call, const OpCall* next) {
    const bool is_linear = call.op->name == "linear";
    const std::string joined = next == nullptr ? "" : "bias_" + std::string(next->op->name);
    const bool activation =
        joined == "bias_gelu_tanh" || joined == "bias_gelu_erf" || joined == "bias_relu";
    const bool joins =
        traits_.bias_activation == BiasActivation::Joined && activation && reads_alone(*next, call);
    if (!joins && (traits_.bias_in_product || !is_linear)) {
      copy_.append(call);
      return false;
    }
    TensorId x = copy_.id(call.inputs[0]);
    TensorId bias = copy_.id(call.inputs[is_linear ? 2 : 1]);
    const std::int64_t rows = call.dims[0];
    const std::int64_t n = call.dims[is_linear ? 2 : 1];
    if (is_linear) {
      const TensorId weight = copy_.id(call.inputs[1]);
      x = append(call, "matmul", {1, rows, call.dims[1], n}, {0.0, 1.0}, {x, weight});
    }
    if (joins) {
      put(*next, append(*next, joined, {rows, n}, {}, {x, bias}));
    } else {
      put(call, append(call, "bias", {rows, n}, {}, {x, bias}));
    }
    return joins;
  }

  bool reads_alone(const OpCall& reader, const OpCall& writer) const {
    const TensorId owner = copy_.from().owner(writer.outputs[0]);
    return copy_.from().owner(reader.inputs[0]) == owner && readers_[std::size_t(owner)] == 1;
  }

  void split(const OpCall& call) {
    const auto [rows, n] = first<2>(call.dims);
    const TensorId sum =
        append(call, "bias", {rows, n}, {}, {copy_.id(call.inputs[0]), copy_.id(call.inputs[1])});
    put(call, append(call, call.op->name.substr(5), {rows * n}, {}, {sum}));
  }

  void scale_and_add(const OpCall& call) {
    const std::int64_t n = call.dims[0];
    const TensorId scaled =
        append(call, "scale", {n}, {call.attributes[0]}, {copy_.id(call.inputs[1])});
    put(call, append(call, "add", {n}, {}, {copy_.id(call.inputs[0]), scaled}));
  }

  TraceCopy copy_;
  Lowering traits_;
  std::vector<std::int32_t> readers_;
  std::set<TensorId> repeated_;  // heads of keys and values, once for each that they serve
};

}  // namespace

Trace lower(const Trace& forward, const Lowering& traits) { return Lower(forward, traits).run(); }

}  // namespace siliconprof
