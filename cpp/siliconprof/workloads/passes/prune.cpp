#include "siliconprof/workloads/passes/prune.h"

#include <algorithm>

#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

bool is_lasting(Role role) {
  return role == Role::Parameter || role == Role::OptimizerState || role == Role::Input;
}

std::vector<bool> needed_calls(const Trace& trace) {
  std::vector<bool> needed(trace.tensors().size(), false);
  for (const TensorId id : trace.results()) needed[std::size_t(trace.owner(id))] = true;
  for (const auto& [parameter, gradient] : trace.gradients()) {
    needed[std::size_t(trace.owner(gradient))] = true;
  }
  std::vector<bool> calls(trace.calls().size(), false);
  for (std::size_t i = calls.size(); i-- > 0;) {
    const OpCall& call = trace.calls()[i];
    const auto is_needed = [&](TensorId id) {
      if (id == kNoTensor) return false;
      const auto owner = std::size_t(trace.owner(id));
      return needed[owner] || is_lasting(trace.tensors()[owner].role);
    };
    calls[i] = std::any_of(call.outputs.begin(), call.outputs.end(), is_needed);
    if (!calls[i]) continue;
    for (const TensorId id : call.inputs) {
      if (id != kNoTensor) needed[std::size_t(trace.owner(id))] = true;
    }
  }
  return calls;
}

}  // namespace

Trace prune(const Trace& trace) {
  if (trace.results().empty() && trace.gradients().empty()) return trace;
  const std::vector<bool> needed = needed_calls(trace);
  TraceCopy copy(trace);
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    copy.enter_section_of(i);
    copy.append(trace.calls()[i]);
  }
  return copy.finish();
}

}  // namespace siliconprof
