#include "siliconprof/devices/eager_memory.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "siliconprof/devices/dropout_masks.h"
#include "siliconprof/ops/cast.h"
#include "siliconprof/ops/liveness.h"

namespace siliconprof {
namespace {

class Eager {
 public:
  Eager(const Trace& trace, bool cuda)
      : trace_(trace), cuda_(cuda), lives_(lifetimes_in_memory(trace)), end_(calls() - 1) {
    // A cast stays inside the sum that reads it without a compiler, too.
    const auto joins = [](const OpCall& c) {
      return c.inside != 0 && c.joins_launch && !c.op->name.starts_with("cast_");
    };
    compiled_ = std::any_of(trace.calls().begin(), trace.calls().end(), joins);
  }

  Requests run() {
    find_readers();
    keep_gradients();
    if (compiled_) {
      reuse_inputs_of_kernels();
    } else {
      keep_casts();
      reuse_inputs_of_relu();
      reuse_casts_of_gradients();
      found_ = dropout_masks(trace_, cuda_);
    }
    if (cuda_) share_heads();
    for (std::int32_t i = 0; i < calls(); ++i) add_extras(i);
    add_tensors();
    if (cuda_) add_convolutions();  // which ask for their results first
    return {std::move(found_), calls()};
  }

 private:
  std::int32_t calls() const { return std::int32_t(trace_.calls().size()); }
  const OpCall& call(std::int32_t i) const { return trace_.calls()[std::size_t(i)]; }
  const TensorInfo& info(TensorId id) const { return trace_.tensors()[std::size_t(id)]; }
  Lifetime& life(TensorId id) { return lives_[std::size_t(trace_.owner(id))]; }

  void keep_gradients() {
    const std::vector<bool> sent = sent_early();
    for (const auto& [parameter, gradient] : trace_.gradients()) {
      if (sent[std::size_t(trace_.owner(gradient))]) continue;
      if (life(gradient).first >= 0) life(gradient).last = end_;
    }
  }

  /// Autocast's cache holds casts of trained parameters while a forward pass runs, whoever reads
  /// them: of checkpointed blocks nobody does after the block.
  void keep_casts() {
    std::vector<bool> is_trained(trace_.tensors().size(), false);
    for (const auto& [parameter, gradient] : trace_.gradients()) {
      is_trained[std::size_t(trace_.owner(parameter))] = true;
    }
    std::int32_t last = 0;  // of the forward pass that call i is in
    for (std::int32_t i = calls() - 1; i >= 0; --i) {
      if (call(i).phase != Phase::Forward) {
        last = i - 1;
        continue;
      }
      if (!is_cast(*call(i).op) || !is_trained[std::size_t(trace_.owner(call(i).inputs[0]))])
        continue;
      life(call(i).outputs[0]).last = std::max(life(call(i).outputs[0]).last, last);
    }
  }

  /// A parameter that is read twice has two gradients. The engine adds the second to the first
  /// where nothing else holds that, as what a cast has made; a product's is a turned view.
  void reuse_casts_of_gradients() {
    for (const auto& [parameter, gradient] : trace_.gradients()) {
      const std::int32_t i = life(gradient).first;
      if (i < 0 || call(i).op->name != "add" || call(i).phase != Phase::Backward) continue;
      for (const TensorId id : {call(i).inputs[0], call(i).inputs[1]}) {
        const TensorId owner = trace_.owner(id);
        if (owner == trace_.owner(gradient) || cast_of(owner, i) == nullptr) continue;
        life(id).last = std::max(life(id).last, life(gradient).last);
        life(gradient) = {};
        break;
      }
    }
  }

  // By owner: what goes to a host before the pass is over is let go there and then.
  std::vector<bool> sent_early() const {
    std::vector<bool> sent(trace_.tensors().size(), false);
    bool passes = false;
    for (std::int32_t i = calls() - 1; i >= 0; --i) {
      const Phase phase = call(i).phase;
      passes = passes || phase == Phase::Forward || phase == Phase::Backward;
      if (phase == Phase::Transfer && passes) {
        sent[std::size_t(trace_.owner(call(i).inputs[0]))] = true;
      }
    }
    return sent;
  }

  /// A compiled kernel writes over what it reads last, where both take as much.
  void reuse_inputs_of_kernels() {
    for (std::int32_t first = 0; first < calls();) {
      std::int32_t end = first + 1;
      while (end < calls() && call(end).joins_launch) ++end;
      if (call(first).phase != Phase::Optimizer && call(first).op->product == nullptr) {
        reuse_inputs(first, end);
      }
      first = end;
    }
  }

  /// Of the kernel of calls from `first` to before `end`.
  void reuse_inputs(std::int32_t first, std::int32_t end) {
    const auto is_given_up = [&](TensorId id, TensorId output) {
      const Lifetime& input = lives_[std::size_t(id)];
      return input.first >= 0 && input.first < first && input.last >= first && input.last < end &&
             !is_persistent(info(id).role) && info(id).bytes() == info(output).bytes();
    };
    for (std::int32_t i = first; i < end; ++i) {
      const TensorId output = call(i).outputs[0];
      if (output == kNoTensor || trace_.owner(output) != output || life(output).first < first ||
          is_persistent(info(output).role)) {
        continue;
      }
      for (std::int32_t j = first; j < end; ++j) {
        const auto reads = std::find_if(
            call(j).inputs.begin(), call(j).inputs.end(),
            [&](TensorId id) { return id != kNoTensor && is_given_up(trace_.owner(id), output); });
        if (reads == call(j).inputs.end()) continue;
        life(*reads).last = life(output).last;
        life(output) = {};
        break;
      }
    }
  }

  void reuse_inputs_of_relu() {
    std::vector<int> readers(trace_.tensors().size(), 0);
    for (const OpCall& c : trace_.calls()) {
      if (c.phase != Phase::Forward) continue;
      for (const TensorId id : c.inputs) {
        if (id != kNoTensor) ++readers[std::size_t(trace_.owner(id))];
      }
    }
    for (const OpCall& c : trace_.calls()) {
      if (c.op->name != "relu" || c.phase != Phase::Forward) continue;
      const TensorId input = trace_.owner(c.inputs[0]);
      const bool alone = readers[std::size_t(input)] == 1 && !is_persistent(info(input).role);
      if (!alone || trace_.owner(c.outputs[0]) == input) continue;
      life(input).last = std::max(life(input).last, life(c.outputs[0]).last);
      life(c.outputs[0]) = {};
    }
  }

  /// Attention of 16 bits reads a head of keys for every head of queries that it serves. (The trace
  /// has the copies, and predictions of time count them: 0.8 % of llama-1b's at 8 x 512 on an
  /// H100.)
  void share_heads() {
    std::map<TensorId, const OpCall*> repeats;  // by what they make
    for (const OpCall& c : trace_.calls()) {
      if (c.op->name == "broadcast") repeats[trace_.owner(c.outputs[0])] = &c;
      if (c.op->name != "attention" || size_bytes(c.dtype) != 2) continue;
      for (const TensorId id : {c.inputs[1], c.inputs[2]}) {
        const auto repeat = repeats.find(trace_.owner(id));
        if (repeat == repeats.end() || life(id).first < 0) continue;
        const TensorId heads = repeat->second->inputs[0];
        life(heads).last = std::max(life(heads).last, life(id).last);
        life(id) = {};
      }
    }
  }

  /// As much as a tensor, or a part of that, for something else.
  void add_like(TensorId id, std::int32_t first, std::int32_t last, std::int32_t divisor = 1) {
    found_.push_back({.number = id, .first = first, .last = last, .divisor = divisor});
  }

  void add_tensors() {
    for (std::size_t id = 0; id < lives_.size(); ++id) {
      const TensorInfo& tensor = trace_.tensors()[id];
      if (tensor.is_view() || tensor.on_host || lives_[id].first < 0) continue;
      const bool state = tensor.role == Role::OptimizerState;
      const bool lasting = is_persistent(tensor.role);
      // States are made by the optimizer's first step, when all gradients are there.
      found_.push_back({.number = std::int32_t(id),
                        .first = state ? end_ : lives_[id].first,
                        .last = lives_[id].last,
                        .lasting = lasting,
                        .role = tensor.role});
    }
  }

  void add_extras(std::int32_t i) {
    const OpCall& c = call(i);
    const std::string_view op = c.op->name;
    add_workspace(c, i);
    if (op == "cross_entropy" && !compiled_) add_loss(c, i);
    if (op == "attention_qkv_backward") add_like(c.outputs[0], i, i);
    if (op == "attention_backward") add_like(c.inputs[0], i, i);
    if (op == "max_pool2d") add_like(c.outputs[1], i, life(c.outputs[1]).last);  // 64-bit places
    if ((op == "rms_norm" || op == "silu_gate") && !compiled_) add_between(c, i);
    if (c.crosses && c.op->op_class == OpClass::RowNormalisation) add_like(c.outputs[0], i, i);
    if (op == "adamw" && !info(c.inputs[0]).on_host) add_update(c, i);
  }

  void add_convolutions() {
    for (std::int32_t i = 0; i < calls(); ++i) {
      if (call(i).op->op_class == OpClass::Convolution) {
        found_.push_back({.of = Request::Of::Convolution, .number = i, .first = i, .last = i});
      }
    }
  }

  void add_workspace(const OpCall& c, std::int32_t i) {
    bool& taken = has_workspace_[c.phase == Phase::Forward ? 0 : 1];
    if (taken || c.op->product == nullptr) return;
    taken = true;
    found_.push_back({.of = Request::Of::Workspace, .first = i, .last = end_, .lasting = true});
  }

  /// The root of the second moments, and what it is divided by; foreach updates divide in place.
  void add_update(const OpCall& c, std::int32_t i) {
    add_like(c.inputs[0], i, cuda_ ? end_ : i);
    if (!cuda_) add_like(c.inputs[0], i, i);
  }

  /// What calls that a model computes by several kernels keep from one for the next: normalised
  /// data before their weights, a gate's silu beside the gate.
  void add_between(const OpCall& c, std::int32_t i) {
    const std::string gradient = std::string(c.op->name) + "_backward";
    for (const std::int32_t j : readers_[std::size_t(trace_.owner(c.inputs[0]))]) {
      const OpCall& later = call(j);
      if (j <= i) continue;
      // Computed again by checkpointing: it keeps them then, and not from here on.
      if (later.op == c.op && later.phase == Phase::Backward) return;
      if (later.op->name == gradient) return add_like(c.outputs[0], i, j);
    }
  }

  /// By owner, the calls whose first input it is, in order.
  void find_readers() {
    readers_.resize(trace_.tensors().size());
    for (std::int32_t i = 0; i < calls(); ++i) {
      const TensorId id = call(i).inputs[0];
      if (id != kNoTensor) readers_[std::size_t(trace_.owner(id))].push_back(i);
    }
  }

  /// Log-probabilities as large as the logits, from the loss to its gradient, which goes through
  /// one more copy. Logits of 16 bits that the loss's kernel widens have a gradient of 16 bits;
  /// those that the model widens have one of 32.
  void add_loss(const OpCall& c, std::int32_t i) {
    const TensorId logits = trace_.owner(c.inputs[0]);
    std::int32_t gradient = i;
    for (const std::int32_t j : readers_[std::size_t(logits)]) {
      if (j > i && call(j).op->name == "cross_entropy_backward") gradient = j;
    }
    if (const OpCall* cast = cast_of(logits, i)) {
      // Who asks for the loss holds logits of 16 bits until it is there.
      Lifetime& given = life(cast->inputs[0]);
      if (cast->joins_launch) given.last = std::max(given.last, i);
      add_like(c.inputs[0], i, gradient, cast->joins_launch ? 2 : 1);
      return;
    }
    add_like(c.inputs[0], i, gradient);
    add_like(c.inputs[0], gradient, gradient);
    if (life(logits).last == gradient && !is_persistent(info(logits).role)) life(logits).last = i;
  }

  /// The cast that made the tensor before call number `end`; null where something else did.
  const OpCall* cast_of(TensorId id, std::int32_t end) const {
    for (std::int32_t j = end - 1; j >= 0; --j) {
      const bool makes = call(j).outputs[0] != kNoTensor && trace_.owner(call(j).outputs[0]) == id;
      if (makes) return is_cast(*call(j).op) ? &call(j) : nullptr;
    }
    return nullptr;
  }

  const Trace& trace_;
  const bool cuda_;
  bool compiled_ = false;
  std::vector<Lifetime> lives_;
  std::vector<std::vector<std::int32_t>> readers_;
  std::int32_t end_;
  std::vector<Request> found_;
  std::array<bool, 2> has_workspace_{};
};

}  // namespace

Requests eager_requests(const Trace& trace, bool cuda) { return Eager(trace, cuda).run(); }

}  // namespace siliconprof
