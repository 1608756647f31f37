#include "siliconprof/workloads/passes/accumulate.h"

#include <string>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/liveness.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

/// Owners that each micro-batch has anew: all but parameters, states and constants.
std::vector<TensorId> own_of_a_batch(const Trace& trace) {
  std::vector<TensorId> own;
  for (std::size_t id = 0; id < trace.tensors().size(); ++id) {
    const TensorInfo& info = trace.tensors()[id];
    const bool given = info.role == Role::Input && !info.initial;
    if (!info.is_view() && (given || !is_persistent(info.role))) own.push_back(TensorId(id));
  }
  return own;
}

void add_inputs(TraceCopy& copy, int batch) {
  for (std::size_t id = 0; id < copy.from().tensors().size(); ++id) {
    TensorInfo info = copy.from().tensors()[id];
    if (info.role != Role::Input || info.is_view() || info.initial) continue;
    info.name += "." + std::to_string(batch);
    copy.replace(TensorId(id), copy.made().add_tensor(info));
  }
}

/// `sum` += `term`, both of one shape.
void add_to(Trace& made, TensorId sum, TensorId term, Phase phase) {
  const TensorInfo info = made.tensors()[std::size_t(sum)];
  append_update(made, "add", {info.shape.elements()}, info.dtype, phase, {}, {sum, term}, {sum});
}

/// The gradients that are complete after each call, by their number; none after the last entry.
std::vector<std::vector<std::size_t>> gradients_by_call(const Trace& trace) {
  const std::vector<std::int32_t> last = last_writes(trace);
  std::vector<std::vector<std::size_t>> by_call(trace.calls().size() + 1);
  for (std::size_t g = 0; g < trace.gradients().size(); ++g) {
    const TensorId owner = trace.owner(trace.gradients()[g].gradient);
    by_call[std::size_t(last[std::size_t(owner)])].push_back(g);
  }
  return by_call;
}

}  // namespace

Trace accumulate(const Trace& trace, int micro_batches) {
  if (micro_batches < 1) {
    throw ArgumentError("[accumulate] micro_batches is " + std::to_string(micro_batches) +
                        "; needed: at least 1");
  }
  if (micro_batches == 1) return trace;
  const std::vector<TensorId> own = own_of_a_batch(trace);
  const std::vector<std::vector<std::size_t>> made_by = gradients_by_call(trace);
  const TensorId loss = trace.results().at(0);
  TraceCopy copy(trace);
  Trace& made = copy.made();
  std::vector<TensorId> sums;
  TensorId loss_sum = kNoTensor;
  for (int batch = 0; batch < micro_batches; ++batch) {
    if (batch > 0) {
      copy.forget(own);
      add_inputs(copy, batch);
    }
    for (std::size_t i = 0; i < trace.calls().size(); ++i) {
      copy.enter_section_of(i);
      copy.append(trace.calls()[i]);
      for (const std::size_t g : made_by[batch > 0 ? i : trace.calls().size()]) {
        add_to(made, sums[g], copy.id(trace.gradients()[g].gradient), Phase::Backward);
      }
    }
    if (batch == 0) {
      loss_sum = copy.id(loss);
      for (const auto& [parameter, gradient] : trace.gradients()) sums.push_back(copy.id(gradient));
    } else {
      add_to(made, loss_sum, copy.id(loss), Phase::Forward);
    }
  }
  const Dtype dtype = made.tensors()[std::size_t(loss_sum)].dtype;
  append_update(made, "scale", {1}, dtype, Phase::Forward, {1.0 / micro_batches}, {loss_sum},
                {loss_sum});
  copy.replace(loss, loss_sum);
  for (std::size_t g = 0; g < sums.size(); ++g)
    copy.replace(trace.gradients()[g].gradient, sums[g]);
  return copy.finish();
}

}  // namespace siliconprof
