#include "siliconprof/workloads/passes/differentiate.h"

#include <algorithm>
#include <array>
#include <utility>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/emit.h"
#include "siliconprof/workloads/builder.h"
#include "siliconprof/workloads/passes/prune.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

/// The reverse sweep. Gradients are kept by the tensor that owns the memory, in its shape.
class Sweep {
 public:
  explicit Sweep(const Trace& forward)
      : forward_(forward), made_(forward), gradients_(forward.tensors().size(), kNoTensor) {
    find_dependents();
  }

  Trace run(TensorId loss, TensorId cotangent, double factor) {
    made_.begin_section("loss");
    gradients_[std::size_t(forward_.owner(loss))] = first_cotangent(loss, cotangent, factor);
    const std::vector<std::int32_t> sections = forward_.section_of_calls();
    for (std::size_t i = forward_.calls().size(); i-- > 0;) {
      if (sections[i] >= 0) {
        made_.begin_section(forward_.sections()[std::size_t(sections[i])].name);
      }
      differentiate(forward_.calls()[i]);
    }
    name_gradients();
    return std::move(made_);
  }

 private:
  const TensorInfo& info(TensorId id) const { return made_.tensors()[std::size_t(id)]; }
  bool depends(TensorId id) const {
    return id != kNoTensor && depends_[std::size_t(forward_.owner(id))];
  }

  /// Which tensors depend on a trained parameter. A tensor has one writer, or parts of it have.
  void find_dependents() {
    const auto& tensors = forward_.tensors();
    depends_.resize(tensors.size());
    for (std::size_t id = 0; id < tensors.size(); ++id) depends_[id] = tensors[id].is_trained();
    std::vector<bool> written(tensors.size(), false);
    for (const OpCall& call : forward_.calls()) {
      const bool followed = std::any_of(call.inputs.begin(), call.inputs.end(),
                                        [&](TensorId id) { return depends(id); });
      for (const TensorId id : call.outputs) {
        if (id == kNoTensor) continue;
        const auto owner = std::size_t(forward_.owner(id));
        const bool whole = !tensors[std::size_t(id)].is_view() ||
                           tensors[std::size_t(id)].bytes() == tensors[owner].bytes();
        if ((written[owner] && whole) || tensors[owner].role == Role::Input) {
          throw ArgumentError("[differentiate] '" + tensors[owner].name +
                              "' is written twice; needed: a forward trace that updates nothing");
        }
        written[owner] = true;
        if (followed && tensors[owner].dtype != Dtype::Int32) depends_[owner] = true;
      }
    }
  }

  TensorId first_cotangent(TensorId loss, TensorId cotangent, double factor) {
    const TensorInfo& of = info(loss);
    if (of.is_view()) {
      throw ArgumentError("[differentiate] the loss '" + of.name +
                          "' is a view; needed: a tensor of its own");
    }
    const Dtype dtype = of.dtype;
    const Shape shape = of.shape;
    const std::int64_t n = shape.elements();
    if (cotangent == kNoTensor) {
      cotangent = append_call(made_, "fill", {n}, dtype, Phase::Backward, {factor}, {}, "dloss",
                              Role::Gradient);
    } else if (factor != 1.0) {
      cotangent = append_call(made_, "scale", {n}, dtype, Phase::Backward, {factor}, {cotangent},
                              "dloss", Role::Gradient);
    }
    return shaped(made_, cotangent, shape);
  }

  void differentiate(const OpCall& call) {
    if (std::none_of(call.inputs.begin(), call.inputs.end(),
                     [&](TensorId id) { return depends(id); })) {
      return;
    }
    std::array<TensorId, kMaxOutputs> cotangents = no_tensors<kMaxOutputs>();
    std::size_t outputs = 0;
    for (; outputs < kMaxOutputs && call.outputs[outputs] != kNoTensor; ++outputs) {
      cotangents[outputs] = cotangent_of(call.outputs[outputs]);
    }
    // Only the first output is followed; the others are statistics.
    if (cotangents[0] == kNoTensor) return;
    if (call.op->name == "copy") return add(call.inputs[0], cotangents[0]);  // no call of its own
    const auto found = append_vjp(made_, call, {cotangents.data(), outputs});
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] != kNoTensor && depends(call.inputs[i])) add(call.inputs[i], found[i]);
    }
  }

  /// The gradient of a tensor or of a view, in its shape.
  TensorId cotangent_of(TensorId id) {
    const TensorId whole = gradients_[std::size_t(forward_.owner(id))];
    if (whole == kNoTensor) return kNoTensor;
    const TensorInfo of = info(id);
    if (info(whole).shape == of.shape && of.offset_bytes == 0) return whole;
    return made_.add_view(whole, of.shape, of.offset_bytes / size_bytes(of.dtype));
  }

  /// Adds what one use of a tensor, or of a view of it, contributes to its gradient.
  void add(TensorId id, TensorId contribution) {
    const TensorId owner = forward_.owner(id);
    const TensorInfo whole = info(owner);
    const std::int64_t n = whole.shape.elements();
    const TensorInfo part = info(id);
    if (part.shape.elements() != n) {
      const std::int64_t begin = part.offset_bytes / size_bytes(part.dtype);
      contribution =
          append_call(made_, "slice_backward", {1, n, part.shape.elements(), 1}, whole.dtype,
                      Phase::Backward, {double(begin)}, {contribution}, "dpart", Role::Gradient);
    }
    TensorId& sum = gradients_[std::size_t(owner)];
    if (sum != kNoTensor) {
      contribution = append_call(made_, "add", {n}, whole.dtype, Phase::Backward, {},
                                 {sum, contribution}, "dsum", Role::Gradient);
    }
    sum = shaped(made_, contribution, whole.shape);
  }

  void name_gradients() {
    std::vector<ParameterGradient> found;
    std::vector<TensorId> results = made_.results();
    std::vector<bool> taken(made_.tensors().size(), false);
    for (std::size_t id = 0; id < forward_.tensors().size(); ++id) {
      const TensorInfo parameter = forward_.tensors()[id];
      TensorId gradient = gradients_[id];
      if (parameter.is_view() || !parameter.is_trained() || gradient == kNoTensor) continue;
      const auto owner = std::size_t(made_.owner(gradient));
      const std::int64_t n = parameter.shape.elements();
      const bool whole = info(TensorId(owner)).shape.elements() == n;
      if (taken[owner] || !whole || info(TensorId(owner)).role != Role::Gradient) {
        gradient = append_call(made_, "copy", {n}, parameter.dtype, Phase::Backward, {}, {gradient},
                               "dcopy", Role::Gradient);
        gradient = shaped(made_, gradient, parameter.shape);
      } else {
        taken[owner] = true;
      }
      made_.rename(made_.owner(gradient), parameter.name + ".grad");
      made_.rename(gradient, parameter.name + ".grad");
      found.push_back({TensorId(id), gradient});
      results.push_back(gradient);
    }
    made_.set_gradients(std::move(found));
    made_.set_results(std::move(results));
  }

  const Trace& forward_;
  Trace made_;
  std::vector<TensorId> gradients_;
  std::vector<bool> depends_;
};

}  // namespace

Trace differentiate(const Trace& forward, TensorId loss, TensorId cotangent, double factor) {
  if (loss < 0 || std::size_t(loss) >= forward.tensors().size()) {
    throw ArgumentError("[differentiate] loss is tensor " + std::to_string(loss) +
                        "; needed: one of the " + std::to_string(forward.tensors().size()) +
                        " tensors of the trace");
  }
  return prune(Sweep(forward).run(loss, cotangent, factor));
}

Trace differentiate(const Trace& forward) {
  return differentiate(forward, forward.results().empty() ? kNoTensor : forward.results()[0]);
}

}  // namespace siliconprof
