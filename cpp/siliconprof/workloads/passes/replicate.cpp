#include "siliconprof/workloads/passes/replicate.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/core/rounding.h"
#include "siliconprof/ops/call.h"
#include "siliconprof/ops/sum.h"

namespace siliconprof {
namespace {

void need_at_least(std::int64_t least, const char* argument, std::int64_t found) {
  if (found >= least) return;
  throw ArgumentError("[replicate] " + std::string(argument) + " is " + std::to_string(found) +
                      "; needed: at least " + std::to_string(least));
}

/// A sum over memory of its own, which whoever appends it again goes over again.
OpCall add_sum_between(std::int64_t bytes, Trace& trace) {
  const std::int64_t elements = divided_up(bytes, size_bytes(Dtype::Float32));
  OpCall call = make_call(kSum, std::array<std::int64_t, 3>{1, elements, 1}, Dtype::Float32, {});
  call.inputs[0] = trace.add_tensor({.name = "between",
                                     .shape = {1, elements, 1},
                                     .role = Role::Input,
                                     .initial = Initial{Initial::Kind::Constant, 0.0}});
  call.outputs[0] = trace.add_tensor({.name = "sum_between", .shape = {1, 1}});
  return call;
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

Trace replicate(const Trace& trace, int copies, int repeats, bool update,
                std::int64_t bytes_between) {
  need_at_least(1, "copies", copies);
  need_at_least(1, "repeats", repeats);
  need_at_least(0, "bytes_between", bytes_between);
  Trace made(trace.label());
  std::optional<OpCall> between;
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
    if (bytes_between == 0) continue;
    if (!between) between = add_sum_between(bytes_between, made);
    made.append(*between);
  }
  return made;
}

}  // namespace siliconprof
