#include "siliconprof/workloads/passes/keep_outputs.h"

#include <algorithm>
#include <vector>

#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

/// Owners that a backward call other than relu's reads.
std::vector<bool> read_backward(const Trace& trace) {
  std::vector<bool> read(trace.tensors().size(), false);
  for (const OpCall& call : trace.calls()) {
    if (call.phase != Phase::Backward || call.op->name == "relu_backward") continue;
    for (const TensorId id : call.inputs) {
      if (id != kNoTensor) read[std::size_t(trace.owner(id))] = true;
    }
  }
  return read;
}

}  // namespace

Trace keep_outputs(const Trace& trace) {
  const auto is_gradient = [](const OpCall& call) { return call.op->name == "relu_backward"; };
  if (std::none_of(trace.calls().begin(), trace.calls().end(), is_gradient)) return trace;
  const std::vector<bool> read = read_backward(trace);
  std::vector<TensorId> output_of(trace.tensors().size(), kNoTensor);  // by the input of relu
  TraceCopy copy(trace);
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    OpCall call = trace.calls()[i];
    if (call.op->name == "relu") output_of[std::size_t(call.inputs[0])] = call.outputs[0];
    if (is_gradient(call)) {
      const TensorId output = output_of[std::size_t(call.inputs[0])];
      if (output != kNoTensor && read[std::size_t(trace.owner(output))]) call.inputs[0] = output;
    }
    copy.enter_section_of(i);
    copy.append(call);
  }
  return copy.finish();
}

}  // namespace siliconprof
