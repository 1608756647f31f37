#include "siliconprof/workloads/passes/trace_copy.h"

#include <algorithm>
#include <utility>

#include "siliconprof/ops/table.h"
#include "siliconprof/workloads/builder.h"

namespace siliconprof {

TraceCopy::TraceCopy(const Trace& from)
    : from_(from),
      made_(from.label()),
      ids_(from.tensors().size(), kNoTensor),
      next_of_owner_(from.tensors().size(), kNoTensor),
      sections_(from.section_of_calls()) {
  for (std::size_t old = 0; old < from.tensors().size(); ++old) {
    const TensorInfo& info = from.tensors()[old];
    if (info.is_view()) {
      TensorId& first = next_of_owner_[std::size_t(info.base)];
      next_of_owner_[old] = std::exchange(first, TensorId(old));
      continue;
    }
    const bool lasting = info.role == Role::Parameter || info.role == Role::OptimizerState ||
                         info.role == Role::Input;
    if (lasting) ids_[old] = made_.add_tensor(info);
  }
}

TensorId TraceCopy::id(TensorId old) {
  if (old == kNoTensor) return kNoTensor;
  TensorId& now = ids_[std::size_t(old)];
  if (now != kNoTensor) return now;
  const TensorInfo& info = from_.tensors()[std::size_t(old)];
  if (!info.is_view()) return now = made_.add_tensor(info);
  const TensorId base = id(info.base);
  // In elements: what stands for the base may be of another dtype.
  return now = made_.add_view(base, info.shape, info.offset_bytes / size_bytes(info.dtype));
}

void TraceCopy::forget(std::span<const TensorId> owners) {
  for (TensorId id : owners) {
    for (; id != kNoTensor; id = next_of_owner_[std::size_t(id)]) ids_[std::size_t(id)] = kNoTensor;
  }
}

OpCall TraceCopy::mapped_inputs(const OpCall& call) {
  OpCall now = call;
  for (TensorId& input : now.inputs) input = id(input);
  return now;
}

OpCall TraceCopy::mapped(const OpCall& call) {
  OpCall now = mapped_inputs(call);
  for (TensorId& output : now.outputs) output = id(output);
  return now;
}

void TraceCopy::append_again(const OpCall& call, std::span<const TensorId> anew, Again again) {
  OpCall made = mapped_inputs(call);
  made.phase = Phase::Backward;
  made.again = again;
  for (TensorId& output : made.outputs) {
    if (output == kNoTensor) continue;
    TensorInfo info = from_.tensors()[std::size_t(output)];
    info.base = -1;
    info.offset_bytes = 0;
    const bool is_anew = std::find(anew.begin(), anew.end(), from_.owner(output)) != anew.end();
    output = is_anew ? id(output) : made_.add_tensor(info);
  }
  made_.append(made);
}

void TraceCopy::enter_section_of(std::size_t index) {
  const std::int32_t section = sections_[index];
  if (section < 0) return;
  const std::string& name = from_.sections()[std::size_t(section)].name;
  if (made_.sections().empty() || made_.sections().back().name != name) made_.begin_section(name);
}

Trace TraceCopy::finish() {
  std::vector<TensorId> results;
  for (const TensorId result : from_.results()) results.push_back(id(result));
  made_.set_results(std::move(results));
  std::vector<ParameterGradient> gradients;
  for (const auto& [parameter, gradient] : from_.gradients()) {
    gradients.push_back({id(parameter), id(gradient)});
  }
  made_.set_gradients(std::move(gradients));
  return std::move(made_);
}

namespace {

OpCall on_inputs(Trace& trace, std::string_view op, std::initializer_list<std::int64_t> dims,
                 Dtype dtype, Phase phase, std::initializer_list<double> attributes,
                 std::initializer_list<TensorId> inputs, Signature& made) {
  OpCall call = make_call(find_op(op), {dims.begin(), dims.size()}, dtype,
                          {attributes.begin(), attributes.size()});
  call.phase = phase;
  made = call.op->signature(call);
  std::size_t i = 0;
  for (const TensorId id : inputs) {
    call.inputs[i] = shaped(trace, id, made.inputs.at(i).shape);
    ++i;
  }
  return call;
}

}  // namespace

TensorId append_call(Trace& trace, std::string_view op, std::initializer_list<std::int64_t> dims,
                     Dtype dtype, Phase phase, std::initializer_list<double> attributes,
                     std::initializer_list<TensorId> inputs, const std::string& name, Role role,
                     bool joins_launch, std::uint16_t inside) {
  Signature made;
  OpCall call = on_inputs(trace, op, dims, dtype, phase, attributes, inputs, made);
  call.joins_launch = joins_launch;
  call.inside = inside;
  for (std::size_t o = 0; o < made.outputs.size(); ++o) {
    const Slot& slot = made.outputs[o];
    call.outputs[o] = trace.add_tensor({o == 0 ? name : name + "." + std::to_string(o), slot.shape,
                                        slot.dtype_in(call), role, slot.index_limit});
  }
  trace.append(call);
  return call.outputs[0];
}

void append_update(Trace& trace, std::string_view op, std::initializer_list<std::int64_t> dims,
                   Dtype dtype, Phase phase, std::initializer_list<double> attributes,
                   std::initializer_list<TensorId> inputs, std::initializer_list<TensorId> updated,
                   bool joins_launch) {
  Signature made;
  OpCall call = on_inputs(trace, op, dims, dtype, phase, attributes, inputs, made);
  call.joins_launch = joins_launch;
  std::size_t o = 0;
  for (const TensorId id : updated) {
    call.outputs[o] = shaped(trace, id, made.outputs.at(o).shape);
    ++o;
  }
  trace.append(call);
}

std::vector<std::int32_t> last_writes(const Trace& trace) {
  std::vector<std::int32_t> last(trace.tensors().size(), -1);
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    for (const TensorId id : trace.calls()[i].outputs) {
      if (id != kNoTensor) last[std::size_t(trace.owner(id))] = std::int32_t(i);
    }
  }
  return last;
}

std::vector<std::int32_t> readers(const Trace& trace) {
  std::vector<std::int32_t> found(trace.tensors().size(), 0);
  const auto count = [&](TensorId id) {
    if (id != kNoTensor) ++found[std::size_t(trace.owner(id))];
  };
  for (const OpCall& call : trace.calls()) std::for_each_n(call.inputs.begin(), kMaxInputs, count);
  std::for_each(trace.results().begin(), trace.results().end(), count);
  for (const ParameterGradient& of : trace.gradients()) count(of.gradient);
  return found;
}

}  // namespace siliconprof
