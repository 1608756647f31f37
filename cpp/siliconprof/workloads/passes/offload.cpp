#include "siliconprof/workloads/passes/offload.h"

#include <algorithm>
#include <utility>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/liveness.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 5> kNames{"none", "pageable", "serial", "overlapped",
                                                 "delayed"};

class Offload {
 public:
  Offload(const Trace& trace, OffloadMode mode)
      : trace_(trace),
        mode_(mode),
        copy_(trace),
        host_(trace.tensors().size(), kNoTensor),
        arriving_(host_) {}

  Trace run() {
    find_last_writes();
    if (mode_ == OffloadMode::Delayed) update();
    pass();
    for (const TensorId owner : leaving_) send_to_host(owner);
    if (mode_ != OffloadMode::Delayed) update();
    for (const TensorId owner : returning_) transfer(on_host(owner), copy_.id(owner));
    // What the next step's update reads: in a program, two buffers that change places.
    for (std::size_t owner = 0; owner < arriving_.size(); ++owner) {
      if (arriving_[owner] != kNoTensor) transfer(arriving_[owner], host_[owner]);
    }
    return copy_.finish();
  }

 private:
  bool sends_early() const { return mode_ >= OffloadMode::Overlapped; }

  void pass() {
    for (std::size_t i = 0; i < trace_.calls().size(); ++i) {
      const OpCall& call = trace_.calls()[i];
      if (call.phase == Phase::Optimizer) continue;
      copy_.enter_section_of(i);
      copy_.append(call);
      for (const TensorId id : call.outputs) {
        if (id == kNoTensor || !leaves(trace_.owner(id), i)) continue;
        if (sends_early()) {
          send_to_host(trace_.owner(id));
        } else {
          leaving_.push_back(trace_.owner(id));
        }
      }
    }
  }

  void update() {
    for (std::size_t i = 0; i < trace_.calls().size(); ++i) {
      if (trace_.calls()[i].phase != Phase::Optimizer) continue;
      copy_.enter_section_of(i);
      append_on_host(trace_.calls()[i]);
    }
  }

  const TensorInfo& info(TensorId id) const { return trace_.tensors()[std::size_t(id)]; }

  /// Of what the optimizer uses: the last call before it that writes the tensor.
  void find_last_writes() {
    written_.assign(host_.size(), -1);
    used_.assign(host_.size(), false);
    used_on_device_.assign(host_.size(), false);
    for (std::size_t i = 0; i < trace_.calls().size(); ++i) {
      const OpCall& call = trace_.calls()[i];
      const bool on_host = call.phase == Phase::Optimizer;
      for (const TensorId id : call.outputs) {
        if (id == kNoTensor) continue;
        const auto owner = std::size_t(trace_.owner(id));
        if (!on_host) written_[owner] = std::int32_t(i);
      }
      for (const TensorId id : call.inputs) {
        if (id == kNoTensor) continue;
        (on_host ? used_ : used_on_device_)[std::size_t(trace_.owner(id))] = true;
      }
    }
  }

  bool leaves(TensorId owner, std::size_t call) const {
    return used_[std::size_t(owner)] && written_[std::size_t(owner)] == std::int32_t(call);
  }

  /// True for what the device needs too: it keeps a copy that follows the host's.
  bool stays(TensorId owner) const {
    return info(owner).role == Role::Parameter || used_on_device_[std::size_t(owner)];
  }

  /// What stands for a tensor on the host, made on first demand.
  TensorId on_host(TensorId id) {
    if (id == kNoTensor) return id;
    const TensorId owner = trace_.owner(id);
    TensorId& known = host_[std::size_t(owner)];
    if (known == kNoTensor && info(owner).role == Role::OptimizerState && !stays(owner)) {
      known = copy_.id(owner);
      copy_.made().move_to_host(known);
    } else if (known == kNoTensor) {
      TensorInfo there = info(owner);
      there.on_host = true;
      if (there.role == Role::Parameter) there.role = Role::OptimizerState;  // the master copy
      if (mode_ == OffloadMode::Delayed && written_[std::size_t(owner)] >= 0) {
        there.role = Role::OptimizerState;  // the gradient of the step before
        there.initial = Initial{Initial::Kind::Constant, 0.0};
      }
      known = copy_.made().add_tensor(there);
    }
    if (id == owner) return known;
    return copy_.made().add_view(known, info(id).shape,
                                 info(id).offset_bytes / size_bytes(info(id).dtype));
  }

  void transfer(TensorId from, TensorId to) {
    const TensorInfo what = copy_.made().tensors()[std::size_t(from)];
    append_update(copy_.made(), "copy", {what.shape.elements()}, what.dtype, Phase::Transfer,
                  {mode_ == OffloadMode::Pageable ? 1.0 : 0.0}, {from}, {to});
  }

  void send_to_host(TensorId owner) {
    if (mode_ != OffloadMode::Delayed) {
      transfer(copy_.id(owner), on_host(owner));
      return;
    }
    TensorInfo there = info(owner);
    there.on_host = true;
    there.name += ".arriving";
    arriving_[std::size_t(owner)] = copy_.made().add_tensor(there);
    transfer(copy_.id(owner), arriving_[std::size_t(owner)]);
  }

  void append_on_host(const OpCall& call) {
    OpCall now = call;
    for (TensorId& input : now.inputs) input = on_host(input);
    for (TensorId& output : now.outputs) output = on_host(output);
    copy_.made().append(now);
    for (const TensorId id : call.outputs) {
      if (id == kNoTensor) continue;
      const TensorId owner = trace_.owner(id);
      if (!is_persistent(info(owner).role) || !stays(owner)) continue;
      if (mode_ == OffloadMode::Overlapped) {
        transfer(on_host(owner), copy_.id(owner));
      } else {
        returning_.push_back(owner);
      }
    }
  }

  const Trace& trace_;
  OffloadMode mode_;
  TraceCopy copy_;
  std::vector<TensorId> host_;
  std::vector<TensorId> arriving_;   // delayed: gradients of this step, there
  std::vector<TensorId> leaving_;    // not early: gradients to send after the pass
  std::vector<TensorId> returning_;  // and what comes back after the update
  std::vector<std::int32_t> written_;
  std::vector<bool> used_;  // by the optimizer
  std::vector<bool> used_on_device_;
};

}  // namespace

std::span<const std::string_view> offload_names() { return kNames; }

OffloadMode parse_offload(std::string_view text) {
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end()) throw_unknown_name("workload", "offload", text, kNames);
  return static_cast<OffloadMode>(found - kNames.begin());
}

Trace offload(const Trace& trace, OffloadMode mode) {
  return mode == OffloadMode::None ? trace : Offload(trace, mode).run();
}

}  // namespace siliconprof
