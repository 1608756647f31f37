#include "siliconprof/workloads/passes/in_place.h"

#include <algorithm>

#include "siliconprof/ops/liveness.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

class Reuse {
 public:
  explicit Reuse(const Trace& trace)
      : trace_(trace), copy_(trace), lives_(lifetimes(trace)), kept_(trace.tensors().size()) {
    for (const TensorId id : trace.results()) kept_[std::size_t(trace.owner(id))] = true;
  }

  Trace run() {
    for (std::size_t i = 0; i < trace_.calls().size(); ++i) {
      const OpCall& call = trace_.calls()[i];
      copy_.enter_section_of(i);
      for (int o = 0; o < call.op->updatable_outputs; ++o) reuse(call, o, std::int32_t(i));
      copy_.append(call);
    }
    return copy_.finish();
  }

 private:
  const TensorInfo& info(TensorId id) const { return trace_.tensors()[std::size_t(id)]; }

  bool is_whole(TensorId id) const { return info(id).bytes() == info(trace_.owner(id)).bytes(); }

  /// An output that is a tensor of its own takes the memory of the first input that may go.
  void reuse(const OpCall& call, int o, std::int32_t index) {
    const TensorId output = call.outputs[std::size_t(o)];
    if (output == kNoTensor || info(output).is_view() || is_persistent(info(output).role)) return;
    if (lives_[std::size_t(output)].first != index || kept_[std::size_t(output)]) return;
    for (const TensorId input : call.inputs) {
      if (input == kNoTensor || !may_go(call, input, output, index)) continue;
      copy_.replace(output, copy_.id(input));
      kept_[std::size_t(trace_.owner(input))] = true;  // its memory is taken
      return;
    }
  }

  bool may_go(const OpCall& call, TensorId input, TensorId output, std::int32_t index) const {
    if (call.op->op_class == OpClass::Indexed && input != call.inputs[0]) return false;
    const TensorId owner = trace_.owner(input);
    const auto is_same_memory = [&](TensorId id) {
      return id != kNoTensor && trace_.owner(id) == owner;
    };
    return info(input).shape == info(output).shape && info(input).dtype == info(output).dtype &&
           info(owner).on_host == info(output).on_host && is_whole(input) &&
           !is_persistent(info(owner).role) && !kept_[std::size_t(owner)] &&
           last_use(owner) == index &&
           std::count_if(call.inputs.begin(), call.inputs.end(), is_same_memory) == 1 &&
           std::none_of(call.outputs.begin(), call.outputs.end(), is_same_memory);
  }

  std::int32_t last_use(TensorId owner) const { return lives_[std::size_t(owner)].last; }

  const Trace& trace_;
  TraceCopy copy_;
  std::vector<Lifetime> lives_;
  std::vector<bool> kept_;
};

}  // namespace

Trace in_place(const Trace& trace) {
  if (trace.results().empty()) return trace;
  return Reuse(trace).run();
}

}  // namespace siliconprof
