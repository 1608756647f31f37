#include "siliconprof/workloads/passes/replicate.h"

#include <algorithm>
#include <vector>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

void need_positive(const char* argument, int found) {
  if (found >= 1) return;
  throw ArgumentError("[replicate] " + std::string(argument) + " is " + std::to_string(found) +
                      "; needed: at least 1");
}

/// The first outputs take the memory of inputs of their shape, each of one of its own.
void update_inputs(const Trace& trace, OpCall& call) {
  const auto& tensors = trace.tensors();
  std::vector<TensorId> taken;
  for (int o = 0; o < call.op->updatable_outputs; ++o) {
    TensorId& output = call.outputs[std::size_t(o)];
    for (const TensorId input : call.inputs) {
      if (input == kNoTensor || output == kNoTensor) continue;
      const TensorInfo& from = tensors[std::size_t(input)];
      const TensorInfo& to = tensors[std::size_t(output)];
      const bool fits = from.shape == to.shape && from.dtype == to.dtype;
      if (!fits || std::find(taken.begin(), taken.end(), input) != taken.end()) continue;
      taken.push_back(input);
      output = input;
      break;
    }
  }
}

}  // namespace

Trace replicate(const Trace& trace, int copies, int repeats, bool update) {
  need_positive("copies", copies);
  need_positive("repeats", repeats);
  Trace made(trace.label());
  for (int copy = 0; copy < copies; ++copy) {
    std::vector<TensorId> ids;
    for (TensorInfo info : trace.tensors()) {
      if (info.is_view()) {
        const TensorId base = ids[std::size_t(info.base)];
        ids.push_back(made.add_view(base, info.shape, info.offset_bytes / size_bytes(info.dtype)));
        continue;
      }
      info.name += "." + std::to_string(copy);
      ids.push_back(made.add_tensor(std::move(info)));
    }
    for (OpCall call : trace.calls()) {
      if (update) update_inputs(trace, call);
      for (TensorId& id : call.inputs) id = id == kNoTensor ? id : ids[std::size_t(id)];
      for (TensorId& id : call.outputs) id = id == kNoTensor ? id : ids[std::size_t(id)];
      for (int repeat = 0; repeat < repeats; ++repeat) made.append(call);
    }
  }
  return made;
}

}  // namespace siliconprof
