#include "siliconprof/workloads/passes/offload.h"

#include <algorithm>
#include <utility>

#include "siliconprof/ops/liveness.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

class Offload {
 public:
  explicit Offload(const Trace& trace)
      : trace_(trace), copy_(trace), host_(trace.tensors().size(), kNoTensor) {}

  Trace run() {
    find_last_writes();
    for (std::size_t i = 0; i < trace_.calls().size(); ++i) {
      const OpCall& call = trace_.calls()[i];
      copy_.enter_section_of(i);
      if (call.phase == Phase::Optimizer) {
        append_on_host(call);
        continue;
      }
      copy_.append(call);
      for (const TensorId id : call.outputs) {
        if (id != kNoTensor && leaves(trace_.owner(id), i)) send_to_host(trace_.owner(id));
      }
    }
    return copy_.finish();
  }

 private:
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
      known = copy_.made().add_tensor(there);
    }
    if (id == owner) return known;
    return copy_.made().add_view(known, info(id).shape,
                                 info(id).offset_bytes / size_bytes(info(id).dtype));
  }

  void transfer(TensorId from, TensorId to) {
    const TensorInfo what = copy_.made().tensors()[std::size_t(from)];
    append_update(copy_.made(), "copy", {what.shape.elements()}, what.dtype, Phase::Transfer, {},
                  {from}, {to});
  }

  void send_to_host(TensorId owner) { transfer(copy_.id(owner), on_host(owner)); }

  void append_on_host(const OpCall& call) {
    OpCall now = call;
    for (TensorId& input : now.inputs) input = on_host(input);
    for (TensorId& output : now.outputs) output = on_host(output);
    copy_.made().append(now);
    for (const TensorId id : call.outputs) {
      if (id == kNoTensor) continue;
      const TensorId owner = trace_.owner(id);
      if (!is_persistent(info(owner).role) || !stays(owner)) continue;
      transfer(on_host(owner), copy_.id(owner));
    }
  }

  const Trace& trace_;
  TraceCopy copy_;
  std::vector<TensorId> host_;
  std::vector<std::int32_t> written_;
  std::vector<bool> used_;  // by the optimizer
  std::vector<bool> used_on_device_;
};

}  // namespace

Trace offload(const Trace& trace) { return Offload(trace).run(); }

}  // namespace siliconprof
