#include "siliconprof/workloads/passes/autocast.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 8> kLow{"matmul", "matvec",    "linear",        "conv1d",
                                               "conv2d", "attention", "attention_qkv", "prelu"};
constexpr std::array<std::string_view, 11> kFull{
    "softmax",       "layer_norm", "rms_norm", "group_norm", "normalise", "sum",
    "cross_entropy", "nt_xent",    "softplus", "bce",        "log_mel"};
constexpr std::array<std::string_view, 3> kWidest{"add", "triad", "concat"};

template <std::size_t N>
bool has(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Autocast {
 public:
  Autocast(const Trace& forward, Dtype low, const AutocastOptions& options)
      : copy_(forward), low_(low), options_(options) {}

  Trace run() {
    const Trace& forward = copy_.from();
    for (std::size_t i = 0; i < forward.calls().size(); ++i) {
      copy_.enter_section_of(i);
      append(forward.calls()[i]);
    }
    return copy_.finish();
  }

 private:
  /// The dtype of what stands for a tensor of the old trace now.
  Dtype dtype_now(TensorId old) { return copy_.made().tensors()[std::size_t(copy_.id(old))].dtype; }

  Dtype dtype_of(const OpCall& call, const Signature& signature) {
    const CastPolicy policy = policy_of(call);
    if (policy == CastPolicy::Low) return low_;
    if (policy == CastPolicy::Full) return Dtype::Float32;
    Dtype widest = Dtype::Int32;
    for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
      if (signature.inputs[i].dtype) continue;  // indices, statistics
      const Dtype dtype = dtype_now(call.inputs[i]);
      if (policy == CastPolicy::Follow) return dtype;
      if (widest == Dtype::Int32 || dtype == Dtype::Float32) widest = dtype;
    }
    return widest == Dtype::Int32 ? call.dtype : widest;
  }

  void append(const OpCall& call) {
    const Signature old_signature = call.op->signature(call);
    OpCall now = call;
    now.dtype = dtype_of(call, old_signature);
    // PyTorch's loss takes logarithms in the logits' format and widens those.
    now.narrow = call.op->name == "cross_entropy" && !options_.widens_logits &&
                 dtype_now(call.inputs[0]) == low_;
    for (std::size_t i = 0; i < old_signature.inputs.size(); ++i) {
      const Slot& slot = old_signature.inputs[i];
      const TensorId id = copy_.id(call.inputs[i]);
      if (slot.dtype) {
        now.inputs[i] = id;
        continue;
      }
      now.inputs[i] = in_dtype(call.inputs[i], now.dtype, is_inside(call), reads_mixed(call));
      const bool stays = reads_mixed(call) && now.inputs[i] != id;
      if (stays) now.inside = std::uint16_t(now.inside | (1U << i));
    }
    const Signature signature = now.op->signature(now);
    for (std::size_t o = 0; o < signature.outputs.size(); ++o) {
      TensorInfo info = copy_.from().tensors()[std::size_t(call.outputs[o])];
      info.dtype = signature.outputs[o].dtype_in(now);
      now.outputs[o] = copy_.made().add_tensor(info);
      copy_.replace(call.outputs[o], now.outputs[o]);
    }
    copy_.made().append(now);
    if (call.op->op_class == OpClass::Convolution) convolved_.insert(call.outputs[0]);
  }

  /// A convolution's bias is its own; any other, as of positions, is an addition.
  CastPolicy policy_of(const OpCall& call) const {
    const bool adds =
        call.op->name == "bias" && !convolved_.contains(copy_.from().owner(call.inputs[0]));
    return adds ? CastPolicy::Widest : cast_policy(*call.op);
  }

  /// Whether the kernel itself reads inputs of other dtypes.
  bool is_inside(const OpCall& call) const {
    if (call.op->name == "cross_entropy") return !options_.widens_logits;
    return policy_of(call) == CastPolicy::Widest || call.op->name == "batch_norm";
  }

  bool reads_mixed(const OpCall& call) const {
    return options_.reads_mixed && policy_of(call) == CastPolicy::Widest;
  }

  /// The tensor in `dtype`: itself or a cast of it, which may stay inside the kernel that it joins;
  /// a parameter's cast is made once.
  TensorId in_dtype(TensorId old, Dtype dtype, bool joins_launch, bool stays) {
    const TensorId id = copy_.id(old);
    Trace& made = copy_.made();
    const TensorInfo info = made.tensors()[std::size_t(id)];
    if (info.dtype == dtype) return id;
    const TensorId owner = made.owner(id);
    const bool whole = info.shape.elements() == made.tensors()[std::size_t(owner)].shape.elements();
    const bool kept = info.role == Role::Parameter && whole;
    TensorId& known = casts_[{owner, dtype}];
    const auto shaped_cast = [&](TensorId cast) { return made.add_view(cast, info.shape); };
    if (kept && known != 0) return shaped_cast(known);
    const std::int64_t n = info.shape.elements();
    const std::string dtype_name(name(dtype));
    const TensorId cast = append_call(made, "cast_" + dtype_name, {n}, info.dtype, Phase::Forward,
                                      {}, {id}, info.name + "." + dtype_name, Role::Activation,
                                      joins_launch, std::uint16_t(stays ? 1U << kMaxInputs : 0U));
    if (kept) known = cast;
    return shaped_cast(cast);
  }

  TraceCopy copy_;
  Dtype low_;
  AutocastOptions options_;
  std::map<std::pair<TensorId, Dtype>, TensorId> casts_;  // of whole parameters; 0: none yet
  std::set<TensorId> convolved_;                          // of the old trace
};

}  // namespace

CastPolicy cast_policy(const Op& op) {
  if (has(kLow, op.name)) return CastPolicy::Low;
  if (has(kFull, op.name)) return CastPolicy::Full;
  return has(kWidest, op.name) ? CastPolicy::Widest : CastPolicy::Follow;
}

Trace autocast(const Trace& forward, Dtype low, const AutocastOptions& options) {
  if (low != Dtype::Float16 && low != Dtype::BFloat16) {
    throw DtypeError("[autocast] dtype is " + std::string(name(low)) +
                     "; needed: float16 or bfloat16");
  }
  return Autocast(forward, low, options).run();
}

}  // namespace siliconprof
