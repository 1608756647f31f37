#include "siliconprof/devices/step_family.h"

#include <algorithm>

#include "siliconprof/devices/host_waits.h"

namespace siliconprof {
namespace {

bool is_same_call(const OpCall& a, const OpCall& b) {
  return a.op == b.op && a.dtype == b.dtype && a.phase == b.phase &&
         a.joins_launch == b.joins_launch && a.again == b.again && a.crosses == b.crosses &&
         a.narrow == b.narrow && a.inside == b.inside && a.inputs == b.inputs &&
         a.outputs == b.outputs;
}

bool is_same_tensor(const TensorInfo& a, const TensorInfo& b) {
  return a.shape.rank == b.shape.rank && a.dtype == b.dtype && a.role == b.role &&
         a.base == b.base && a.on_host == b.on_host;
}

void check_same_program(const Trace& a, const Trace& b) {
  const bool calls = std::equal(a.calls().begin(), a.calls().end(), b.calls().begin(),
                                b.calls().end(), is_same_call);
  const bool tensors = std::equal(a.tensors().begin(), a.tensors().end(), b.tensors().begin(),
                                  b.tensors().end(), is_same_tensor);
  if (!calls || !tensors || a.results() != b.results() || a.gradients() != b.gradients()) {
    ProbeTraces::refuse(b, "other calls than '" + a.label() + "' has");
  }
}

// Calls that are equal at every probe and run in one place are of one kind.
std::vector<std::int64_t> signature(const std::vector<Trace>& traces, std::size_t call,
                                    const PlacedCall& placed) {
  const OpCall& first = traces.front().calls()[call];
  std::vector<std::int64_t> key{std::int64_t(reinterpret_cast<std::uintptr_t>(first.op)),
                                std::int64_t(first.dtype),
                                std::int64_t(first.phase),
                                std::int64_t(first.joins_launch),
                                std::int64_t(first.again),
                                std::int64_t(first.inside),
                                std::int64_t(first.crosses),
                                std::int64_t(first.narrow),
                                std::int64_t(placed.place),
                                std::int64_t(placed.is_early)};
  for (const Trace& trace : traces) {
    const auto& dims = trace.calls()[call].dims;
    key.insert(key.end(), dims.begin(), dims.end());
  }
  for (const double attribute : first.attributes) {
    key.push_back(std::int64_t(std::hash<double>{}(attribute)));
  }
  return key;
}

}  // namespace

StepFamily::StepFamily(const Build& build, const StepSize& least, const StepSize& most) {
  ProbeTraces steps{SizeProbes(least, most), {}};
  steps.traces.reserve(steps.probes.sizes().size());
  for (const StepSize& size : steps.probes.sizes()) steps.traces.push_back(build(size));
  if (steps.first().calls().empty()) ProbeTraces::refuse(steps.first(), "no calls");
  for (const Trace& trace : steps.traces) check_same_program(steps.first(), trace);
  read_calls(steps);
  memory_ = MemoryFamily(steps);
  if (const auto other = steps.probes.other()) {
    const Trace built = build(*other);
    check_same_program(steps.first(), built);
    if (!is_what_was_built(*other, built)) {
      ProbeTraces::refuse(built, "not what the steps of other sizes say");
    }
  }
}

bool StepFamily::is_what_was_built(const StepSize& size, const Trace& built) const {
  const StepSummary said = at(size);
  if (said.order.size() != built.calls().size()) return false;
  for (std::size_t i = 0; i < built.calls().size(); ++i) {
    const CallKind& kind = said.kinds[std::size_t(said.order[i])];
    const OpCall& call = built.calls()[i];
    if (kind.call.op != call.op || kind.call.dims != call.dims || kind.cost != cost_of(call)) {
      return false;
    }
  }
  return memory_.describes(built, size, said);
}

void StepFamily::read_calls(const ProbeTraces& steps) {
  std::map<std::vector<std::int64_t>, std::int32_t> places;
  const auto& calls = steps.first().calls();
  for (const bool eager : {false, true}) waits_[eager ? 1 : 0] = host_waits(steps.first(), eager);
  placed_ = place_calls(steps.first());
  begins_ = phase_begins(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const PlacedCall placed = placed_.empty() ? PlacedCall() : unordered(placed_[i]);
    const auto [found, is_new] =
        places.try_emplace(signature(steps.traces, i, placed), std::int32_t(kinds_.size()));
    order_.push_back(found->second);
    if (is_new) {
      Kind kind;
      kind.at_least.call = calls[i];
      kind.at_least.call.inputs = no_tensors<kMaxInputs>();
      kind.at_least.call.outputs = no_tensors<kMaxOutputs>();
      for (std::size_t d = 0; d < kMaxDims; ++d) {
        const SizePolynomial dim =
            steps.fitted([&](const Trace& trace) { return trace.calls()[i].dims[d]; });
        if (!dim.is_constant()) kind.dims.emplace_back(d, dim);
      }
      kind.at_least.cost = cost_of(calls[i]);
      kind.at_least.placed = placed;
      kinds_.push_back(std::move(kind));
    }
    kinds_[std::size_t(found->second)].at_least.count += 1;
  }
}

StepSummary StepFamily::at(const StepSize& size) const {
  StepSummary found;
  found.order = order_;
  found.begins = begins_;
  found.waits = waits_;
  found.placed = placed_;
  found.kinds.reserve(kinds_.size());
  for (const Kind& kind : kinds_) {
    CallKind& made = found.kinds.emplace_back(kind.at_least);
    if (kind.dims.empty()) continue;
    for (const auto& [place, dim] : kind.dims) made.call.dims[place] = dim.at(size);
    made.cost = cost_of(made.call);
  }
  const MemoryFamily::BlockBytes bytes = memory_.block_bytes(size);
  found.peak_bytes = memory_.peak_bytes(bytes);
  found.peak_bytes_shared = memory_.peak_bytes_shared(bytes);
  return found;
}

}  // namespace siliconprof
