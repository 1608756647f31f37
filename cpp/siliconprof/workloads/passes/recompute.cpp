#include "siliconprof/workloads/passes/recompute.h"

#include <string_view>
#include <utility>
#include <vector>

#include "siliconprof/ops/cast.h"
#include "siliconprof/ops/liveness.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

/// The call that makes an activation, of what is kept, or of what a norm makes of it.
struct Source {
  const OpCall* norm = nullptr;
  const OpCall* activation = nullptr;
};

bool reads_its_input_backward(const OpCall& call) {
  const std::string_view op = call.op->name;
  return op == "gelu_erf" || op == "gelu_tanh" || op == "silu";
}

class Recompute {
 public:
  Recompute(const Trace& trace, Recomputed what)
      : trace_(trace), what_(what), copy_(trace), sources_(trace.tensors().size()) {}

  Trace run() {
    if (!find_sources()) return trace_;
    for (std::size_t i = 0; i < trace_.calls().size(); ++i) {
      const OpCall& call = trace_.calls()[i];
      copy_.enter_section_of(i);
      if (call.phase == Phase::Backward) {
        for (const TensorId id : call.inputs) again(id);
      }
      copy_.append(call);
    }
    return copy_.finish();
  }

 private:
  /// Whether there is any, by the owner of what the activation makes.
  bool find_sources() {
    std::vector<const OpCall*> norms(sources_.size(), nullptr);
    bool found = false;
    for (const OpCall& call : trace_.calls()) {
      if (call.phase != Phase::Forward) continue;
      if (call.op->name == "batch_norm") {
        norms[std::size_t(trace_.owner(call.outputs[0]))] = &call;
      }
      const OpCall* norm = nullptr;
      if (call.op->name == "relu") norm = norms[std::size_t(trace_.owner(call.inputs[0]))];
      const bool is_activation = norm != nullptr || reads_its_input_backward(call);
      if (what_ == Recomputed::Casts) norm = nullptr;
      if (what_ == Recomputed::Casts ? !widens(call) : !is_activation) continue;
      if (trace_.owner(call.outputs[0]) != call.outputs[0]) continue;
      sources_[std::size_t(call.outputs[0])] = {norm, &call};
      found = true;
    }
    for (const TensorId id : trace_.results()) sources_[std::size_t(trace_.owner(id))] = {};
    return found;
  }

  bool widens(const OpCall& call) const {
    if (!is_cast(*call.op)) return false;
    const auto& x = trace_.tensors()[std::size_t(trace_.owner(call.inputs[0]))];
    const auto& y = trace_.tensors()[std::size_t(call.outputs[0])];
    return !is_persistent(x.role) && size_bytes(y.dtype) > size_bytes(x.dtype);
  }

  /// Makes an activation anew before its first reader in the backward pass.
  void again(TensorId id) {
    if (id == kNoTensor) return;
    const TensorId owner = trace_.owner(id);
    const Source source = std::exchange(sources_[std::size_t(owner)], {});
    if (source.activation == nullptr) return;
    std::vector<TensorId> anew{owner};
    if (source.norm != nullptr) anew.push_back(trace_.owner(source.norm->outputs[0]));
    copy_.forget(anew);
    if (source.norm != nullptr) copy_.append_again(*source.norm, anew);
    copy_.append_again(*source.activation, anew);
  }

  const Trace& trace_;
  Recomputed what_;
  TraceCopy copy_;
  std::vector<Source> sources_;
};

}  // namespace

Trace recompute(const Trace& trace, Recomputed what) { return Recompute(trace, what).run(); }

}  // namespace siliconprof
