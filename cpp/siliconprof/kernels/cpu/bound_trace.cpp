#include "siliconprof/kernels/cpu/bound_trace.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "siliconprof/core/checked.h"
#include "siliconprof/core/error.h"
#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/caches.h"
#include "siliconprof/kernels/cpu/initial_values.h"
#include "siliconprof/ops/liveness.h"

namespace siliconprof::cpu {
namespace {

void check_given(const TensorInfo& tensor, const TensorView& view) {
  const std::string place = "[inputs] " + tensor.name;
  if (view.shape != tensor.shape) {
    throw ShapeError(place + " has shape " + to_string(view.shape) +
                     "; needed: " + to_string(tensor.shape));
  }
  if (view.dtype != tensor.dtype) {
    throw DtypeError(place + " is " + std::string(name(view.dtype)) +
                     "; needed: " + std::string(name(tensor.dtype)));
  }
}

Tensor allocate(std::int64_t bytes, const std::string& what) {
  try {
    return {Dtype::Float32, {divided_up(bytes, 4)}};
  } catch (const std::bad_alloc&) {
    throw ArgumentError("[cpu] " + what + " takes " + std::to_string(bytes) +
                        " bytes; needed: a size that this machine's memory holds");
  }
}

/// Where tensors lie that are neither in the arena nor given: one behind the other, so that huge
/// pages round up the end of the block and not that of every tensor.
MemoryPlan plan_kept(const Trace& trace, const MemoryPlan& arena, bool are_inputs_given) {
  constexpr auto kAlignment = std::int64_t(kTensorAlignment);
  MemoryPlan kept{std::vector<std::int64_t>(trace.tensors().size(), kNotPlanned), 0};
  for (std::size_t id = 0; id < trace.tensors().size(); ++id) {
    const TensorInfo& info = trace.tensors()[id];
    const bool given = are_inputs_given && is_given(info);
    if (info.is_view() || given || arena.offset_bytes[id] != kNotPlanned) continue;
    kept.offset_bytes[id] = kept.arena_bytes;
    const std::int64_t lines = divided_up(info.bytes(), kAlignment);
    kept.arena_bytes = checked_sum("memory", kept.arena_bytes, lines * kAlignment);
  }
  return kept;
}

std::size_t attribute_index(const Op& op, std::string_view name) {
  std::vector<std::string_view> valid;
  for (const AttributeInfo& info : op.attributes) {
    if (info.name == name) return valid.size();
    valid.push_back(info.name);
  }
  throw_unknown_name(op.name, "attribute", name, valid);
}

bool same_shapes(const Signature& a, const Signature& b) {
  const auto same = [](const Slot& x, const Slot& y) { return x.shape == y.shape; };
  return std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(), same) &&
         std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(), same);
}

}  // namespace

BoundTrace::BoundTrace(const Trace& trace, const Engine& engine, int threads,
                       std::span<const TensorView> given, const Poll& poll)
    : trace_(&trace), threads_(threads) {
  // Kernels first: an engine that can't run the trace should say so before memory is taken.
  for (const OpCall& call : trace.calls()) {
    calls_.push_back({&find_kernel(engine, call), call, {}, {}});
  }
  take_memory(given, poll);
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    for (const TensorId id : trace.calls()[i].inputs) {
      if (id != kNoTensor) calls_[i].inputs.push_back(view(id));
    }
    for (const TensorId id : trace.calls()[i].outputs) {
      if (id != kNoTensor) calls_[i].outputs.push_back(view(id));
    }
  }
  find_shared_updates();
}

void BoundTrace::find_shared_updates() {
  std::int64_t kept_bytes = 0;
  for (std::size_t id = 0; id < views_.size(); ++id) {
    const TensorInfo& info = trace_->tensors()[id];
    if (!info.is_view() && is_persistent(info.role)) kept_bytes += views_[id].bytes();
  }
  if (kept_bytes <= last_level_cache_bytes()) return;
  constexpr int none = -1;
  constexpr int several = -2;
  std::vector<int> reader(views_.size(), none);  // the only call that reads a tensor, if one does
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    for (const TensorId id : calls_[i].call.inputs) {
      if (id == kNoTensor) continue;
      int& known = reader[std::size_t(trace_->owner(id))];
      known = known == none || known == int(i) ? int(i) : several;
    }
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const TensorId id = calls_[i].call.outputs[0];
    if (id == kNoTensor) continue;
    const auto owner = std::size_t(trace_->owner(id));
    calls_[i].others_read_update = is_persistent(trace_->tensors()[owner].role) &&
                                   reader[owner] != none && reader[owner] != int(i);
  }
}

void BoundTrace::take_memory(std::span<const TensorView> given, const Poll& poll) {
  const MemoryPlan plan = plan_memory(*trace_);
  const MemoryPlan kept = plan_kept(*trace_, plan, !given.empty());
  arena_ = allocate(plan.arena_bytes, "what comes and goes");
  kept_ = allocate(kept.arena_bytes, "what lives throughout");
  std::size_t taken = 0;
  for (std::size_t id = 0; id < trace_->tensors().size(); ++id) {
    const TensorInfo& info = trace_->tensors()[id];
    if (info.is_view()) {
      const TensorView& base = views_[std::size_t(info.base)];
      views_.push_back({static_cast<char*>(base.data) + info.offset_bytes, info.dtype, info.shape});
      continue;
    }
    if (!given.empty() && is_given(info)) {
      if (taken == given.size()) break;
      check_given(info, given[taken]);
      views_.push_back(given[taken++]);
      continue;
    }
    if (plan.offset_bytes[id] != kNotPlanned) {
      views_.push_back({arena_.view().as<char>() + plan.offset_bytes[id], info.dtype, info.shape});
      continue;
    }
    views_.push_back({kept_.view().as<char>() + kept.offset_bytes[id], info.dtype, info.shape});
    if (is_persistent(info.role)) fill_initial(views_.back(), info, threads_, poll);
  }
  if (taken != given.size() || views_.size() != trace_->tensors().size()) {
    throw ArgumentError("[inputs] " + std::to_string(given.size()) +
                        " inputs; needed: " + std::to_string(input_count(*trace_)));
  }
}

void BoundTrace::run(std::size_t call, const Poll& poll) const {
  const Call& bound = calls_[call];
  bound.kernel->run(
      {bound.call, bound.inputs, bound.outputs, threads_, poll, bound.others_read_update});
}

void BoundTrace::set_attribute(std::size_t call, std::string_view name, double value) {
  if (call >= calls_.size()) {
    throw ArgumentError("[bind] call is " + std::to_string(call) + "; needed: below " +
                        std::to_string(calls_.size()) + ", the calls of '" + trace_->label() + "'");
  }
  OpCall changed = calls_[call].call;
  const std::size_t index = attribute_index(*changed.op, name);
  check_attribute(*changed.op, index, value);
  changed.attributes[index] = value;
  if (!same_shapes(changed.op->signature(changed), changed.op->signature(calls_[call].call))) {
    throw ShapeError("[bind] " + std::string(name) + " = " + std::to_string(value) + " makes '" +
                     to_string(changed) + "' one of other shapes; needed: another trace");
  }
  calls_[call].call = changed;
}

std::array<MemoryPlan, 2> block_plans(const Trace& trace) {
  MemoryPlan shared = plan_memory(trace);
  MemoryPlan kept = plan_kept(trace, shared, false);
  return {std::move(shared), std::move(kept)};
}

std::array<std::int64_t, 2> block_bytes(const Trace& trace) {
  const auto plans = block_plans(trace);
  return {plans[0].arena_bytes, plans[1].arena_bytes};
}

bool is_given(const TensorInfo& info) {
  return info.role == Role::Input && !info.is_view() && !info.initial;
}

std::size_t input_count(const Trace& trace) {
  const auto is_input = [](const TensorInfo& info) { return is_given(info); };
  return std::size_t(std::count_if(trace.tensors().begin(), trace.tensors().end(), is_input));
}

std::vector<TensorId> result_ids(const Trace& trace) {
  if (!trace.results().empty()) return trace.results();
  constexpr std::int32_t kNever = -1;
  std::vector<std::int32_t> written(trace.tensors().size(), kNever);
  std::vector<std::int32_t> read(trace.tensors().size(), kNever);
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    const auto note = [&](std::vector<std::int32_t>& last, TensorId id) {
      if (id != kNoTensor) last[std::size_t(trace.owner(id))] = std::int32_t(i);
    };
    for (const TensorId id : trace.calls()[i].inputs) note(read, id);
    for (const TensorId id : trace.calls()[i].outputs) note(written, id);
  }
  std::vector<TensorId> ids;
  for (std::size_t id = 0; id < written.size(); ++id) {
    if (written[id] != kNever && read[id] <= written[id]) ids.push_back(TensorId(id));
  }
  return ids;
}

}  // namespace siliconprof::cpu
