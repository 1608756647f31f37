#include "siliconprof/workloads/passes/add_embeddings.h"

#include <vector>

#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

/// True when `next` adds all that `call` made to something else.
bool is_added(const Trace& trace, const OpCall& call, const OpCall& next) {
  if (call.op->name != "embedding_backward" || next.op->name != "add") return false;
  const auto is_made = [&](TensorId id) { return trace.owner(id) == trace.owner(call.outputs[0]); };
  const TensorInfo& sum = trace.tensors()[std::size_t(next.outputs[0])];
  return is_made(next.inputs[1]) && !is_made(next.inputs[0]) &&
         (!sum.is_view() || trace.owner(next.outputs[0]) == trace.owner(next.inputs[0]));
}

void append_joined(TraceCopy& copy, const OpCall& call, const OpCall& next) {
  const Trace& from = copy.from();
  const TensorInfo& sum = from.tensors()[std::size_t(next.outputs[0])];
  const std::int64_t v = call.dims[0];
  const TensorId before = copy.id(next.inputs[0]);
  const TensorId index = copy.id(call.inputs[0]);
  const TensorId dy = copy.id(call.inputs[1]);
  // A sum that grows where it lies, as over micro-batches, has readers under its own name.
  if (from.owner(next.outputs[0]) == from.owner(next.inputs[0])) {
    append_update(copy.made(), "embedding_backward_add", {v, call.dims[1], call.dims[2]},
                  call.dtype, call.phase, {}, {before, index, dy}, {before});
    return;
  }
  const TensorId made =
      append_call(copy.made(), "embedding_backward_add", {v, call.dims[1], call.dims[2]},
                  call.dtype, call.phase, {}, {before, index, dy}, sum.name, sum.role);
  copy.replace(next.outputs[0], copy.made().add_view(made, sum.shape));
}

}  // namespace

Trace add_embeddings(const Trace& trace) {
  const auto& calls = trace.calls();
  const std::vector<std::int32_t> read = readers(trace);
  TraceCopy copy(trace);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    copy.enter_section_of(i);
    const bool joins = i + 1 < calls.size() && is_added(trace, calls[i], calls[i + 1]) &&
                       read[std::size_t(trace.owner(calls[i].outputs[0]))] == 1;
    if (joins) {
      append_joined(copy, calls[i], calls[i + 1]);
      ++i;
    } else {
      copy.append(calls[i]);
    }
  }
  return copy.finish();
}

}  // namespace siliconprof
