#include "siliconprof/workloads/passes/lora.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

/// A trace with every parameter frozen.
Trace frozen(const Trace& trace) {
  Trace made = trace;
  for (std::size_t id = 0; id < made.tensors().size(); ++id) {
    if (made.tensors()[id].role == Role::Parameter) made.freeze(TensorId(id));
  }
  return made;
}

class Lora {
 public:
  Lora(const Trace& trace, const LoraOptions& options, std::span<const std::string_view> targets)
      : copy_(trace), options_(options), targets_(targets) {}

  Trace run() {
    const Trace& trace = copy_.from();
    for (std::size_t i = 0; i < trace.calls().size(); ++i) {
      const OpCall& call = trace.calls()[i];
      copy_.enter_section_of(i);
      copy_.append(call);
      if (is_target(call)) adapt(call);
    }
    if (adapted_ == 0) {
      throw ArgumentError("[lora] '" + trace.label() +
                          "' has no product with a matrix to adapt; needed: a transformer");
    }
    return copy_.finish();
  }

 private:
  const TensorInfo& weight(const OpCall& call) const {
    return copy_.from().tensors()[std::size_t(call.inputs[1])];
  }

  bool is_target(const OpCall& call) const {
    const bool transposed = call.op->name == "matmul" && is_set(call.attributes[1]);
    if (call.op->name != "linear" && !transposed) return false;
    const TensorInfo& w = weight(call);
    return w.role == Role::Parameter &&
           std::any_of(targets_.begin(), targets_.end(), [&](std::string_view target) {
             return w.name.find(target) != std::string::npos;
           });
  }

  void adapt(const OpCall& call) {
    const bool is_linear = call.op->name == "linear";
    const std::int64_t rows = call.dims[is_linear ? 0 : 1];
    const std::int64_t in = call.dims[is_linear ? 1 : 2];
    const std::int64_t out = call.dims[is_linear ? 2 : 3];
    const TensorInfo w = weight(call);
    check_rank(w, in, out);
    ++adapted_;
    Trace& made = copy_.made();
    const std::string stem = w.name.substr(0, w.name.rfind('.'));
    const auto parameter = [&](const char* name, Shape shape, Initial initial) {
      return made.add_tensor({.name = stem + name,
                              .shape = shape,
                              .dtype = call.dtype,
                              .role = Role::Parameter,
                              .initial = initial});
    };
    const std::int64_t rank = options_.rank;
    const TensorId a =
        parameter(".lora_A", {rank, in}, {Initial::Kind::Uniform, 1.0 / std::sqrt(double(in))});
    const TensorId b = parameter(".lora_B", {out, rank}, {Initial::Kind::Constant, 0.0});
    const TensorId x = copy_.id(call.inputs[0]);
    const TensorId y = copy_.id(call.outputs[0]);
    const auto append = [&](std::string_view op, std::initializer_list<std::int64_t> dims,
                            std::initializer_list<double> attributes,
                            std::initializer_list<TensorId> inputs, const char* name) {
      return append_call(made, op, dims, call.dtype, Phase::Forward, attributes, inputs,
                         stem + name, Role::Activation);
    };
    const TensorId low = append("matmul", {1, rows, in, rank}, {0.0, 1.0}, {x, a}, ".lora_low");
    const TensorId high =
        append("matmul", {1, rows, rank, out}, {0.0, 1.0}, {low, b}, ".lora_high");
    const TensorId sum =
        append("triad", {rows * out}, {options_.alpha / double(rank)}, {y, high}, ".lora_sum");
    const Shape shape = made.tensors()[std::size_t(y)].shape;
    copy_.replace(call.outputs[0], made.add_view(sum, shape));
  }

  void check_rank(const TensorInfo& w, std::int64_t in, std::int64_t out) const {
    const std::int64_t most = std::min(in, out);
    if (options_.rank >= 1 && options_.rank <= most) return;
    throw ArgumentError("[lora] rank is " + std::to_string(options_.rank) + "; needed: 1 to " +
                        std::to_string(most) + ", the smaller side of '" + w.name + "' " +
                        to_string(w.shape));
  }

  TraceCopy copy_;
  LoraOptions options_;
  std::span<const std::string_view> targets_;
  int adapted_ = 0;
};

}  // namespace

Trace lora(const Trace& forward, const LoraOptions& options,
           std::span<const std::string_view> targets) {
  const Trace trace = frozen(forward);
  return Lora(trace, options, targets).run();
}

}  // namespace siliconprof
