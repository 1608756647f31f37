#include "siliconprof/devices/step_family.h"

#include <algorithm>

#include "siliconprof/core/error.h"
#include "siliconprof/devices/host_waits.h"
#include "siliconprof/ops/liveness.h"

namespace siliconprof {
namespace {

[[noreturn]] void refuse(const Trace& trace, const std::string& what) {
  throw ArgumentError("[sweep] '" + trace.label() + "': " + what +
                      "; needed: a workload whose calls don't depend on its sizes");
}

// Polynomials through the values of one place of every trace.
template <class Read>
SizePolynomial fitted(const SizeProbes& probes, const std::vector<Trace>& traces, Read read) {
  std::vector<std::int64_t> values;
  values.reserve(traces.size());
  for (const Trace& trace : traces) values.push_back(read(trace));
  const auto polynomial = probes.fit(values);
  if (!polynomial) refuse(traces.front(), "a size grows in another way than batch and length");
  return *polynomial;
}

bool is_same_call(const OpCall& a, const OpCall& b) {
  return a.op == b.op && a.dtype == b.dtype && a.phase == b.phase &&
         a.joins_launch == b.joins_launch && a.inputs == b.inputs && a.outputs == b.outputs;
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
  if (!calls || !tensors || a.results() != b.results()) {
    refuse(b, "other calls than '" + a.label() + "' has");
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

std::vector<std::int64_t> shapes(const std::vector<Trace>& traces, std::size_t tensor) {
  std::vector<std::int64_t> key{size_bytes(traces.front().tensors()[tensor].dtype)};
  for (const Trace& trace : traces) {
    const auto view = trace.tensors()[tensor].shape.view();
    key.insert(key.end(), view.begin(), view.end());
  }
  return key;
}

bool is_what_was_built(const StepSummary& said, const Trace& built) {
  if (said.peak_bytes != built.memory().peak_bytes()) return false;
  if (said.peak_bytes_shared != memory_timeline(built, MemoryOf::Both).peak_bytes()) return false;
  if (said.order.size() != built.calls().size()) return false;
  for (std::size_t i = 0; i < built.calls().size(); ++i) {
    const CallKind& kind = said.kinds[std::size_t(said.order[i])];
    const OpCall& call = built.calls()[i];
    if (kind.call.op != call.op || kind.call.dims != call.dims ||
        kind.cost != call.op->cost(call)) {
      return false;
    }
  }
  return true;
}

}  // namespace

StepFamily::StepFamily(const Build& build, const StepSize& least, const StepSize& most) {
  const SizeProbes probes(least, most);
  std::vector<Trace> traces;
  traces.reserve(probes.sizes().size());
  for (const StepSize& size : probes.sizes()) traces.push_back(build(size));
  if (traces.front().calls().empty()) refuse(traces.front(), "no calls");
  for (const Trace& trace : traces) check_same_program(traces.front(), trace);
  read_calls(probes, traces);
  read_memory(probes, traces);
  if (const auto other = probes.other()) {
    const Trace built = build(*other);
    check_same_program(traces.front(), built);
    if (!is_what_was_built(at(*other), built)) {
      refuse(built, "not what the steps of other sizes say");
    }
  }
}

void StepFamily::read_calls(const SizeProbes& probes, const std::vector<Trace>& traces) {
  std::map<std::vector<std::int64_t>, std::int32_t> places;
  const auto& calls = traces.front().calls();
  for (const bool eager : {false, true}) waits_[eager ? 1 : 0] = host_waits(traces.front(), eager);
  placed_ = place_calls(traces.front());
  begins_ = phase_begins(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const PlacedCall placed = placed_.empty() ? PlacedCall() : unordered(placed_[i]);
    const auto [found, is_new] =
        places.try_emplace(signature(traces, i, placed), std::int32_t(kinds_.size()));
    order_.push_back(found->second);
    if (is_new) {
      Kind kind;
      kind.at_least.call = calls[i];
      kind.at_least.call.inputs = no_tensors<kMaxInputs>();
      kind.at_least.call.outputs = no_tensors<kMaxOutputs>();
      for (std::size_t d = 0; d < kMaxDims; ++d) {
        const SizePolynomial dim =
            fitted(probes, traces, [&](const Trace& trace) { return trace.calls()[i].dims[d]; });
        if (!dim.is_constant()) kind.dims.emplace_back(d, dim);
      }
      kind.at_least.cost = calls[i].op->cost(calls[i]);
      kind.at_least.placed = placed;
      kinds_.push_back(std::move(kind));
    }
    kinds_[std::size_t(found->second)].at_least.count += 1;
  }
}

void StepFamily::read_memory(const SizeProbes& probes, const std::vector<Trace>& traces) {
  const Trace& first = traces.front();
  const std::vector<Lifetime> lives = lifetimes(first);
  std::map<std::vector<std::int64_t>, std::int32_t> places;
  Counts counts;
  Counts counts_shared;
  for (std::size_t id = 0; id < lives.size(); ++id) {
    const TensorInfo& tensor = first.tensors()[id];
    if (lives[id].first < 0) continue;
    const auto [found, is_new] =
        places.try_emplace(shapes(traces, id), std::int32_t(blocks_.size()));
    if (is_new) {
      Block block{size_bytes(tensor.dtype), {}};
      for (int axis = 0; axis < tensor.shape.rank; ++axis) {
        const SizePolynomial size = fitted(
            probes, traces, [&](const Trace& trace) { return trace.tensors()[id].shape[axis]; });
        if (size.is_constant()) {
          block.constant *= size.factors[0];
        } else {
          block.factors.push_back(size);
        }
      }
      blocks_.push_back(std::move(block));
    }
    for (Counts* each : {&counts, &counts_shared}) {
      if (each == &counts && tensor.on_host) continue;
      (*each)[{lives[id].first, found->second}] += 1;
      (*each)[{lives[id].last + 1, found->second}] -= 1;
    }
  }
  changes_ = changes(counts);
  if (keeps_on_host(first)) changes_shared_ = changes(counts_shared);
}

StepFamily::Changes StepFamily::changes(const Counts& counts) {
  Changes found;
  for (const auto& [place, count] : counts) {
    if (count != 0) found.push_back({place.first, place.second, count});
  }
  return found;
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
    made.cost = made.call.op->cost(made.call);
  }
  const std::vector<std::int64_t> bytes = block_bytes(size);
  found.peak_bytes = peak_bytes(changes_, bytes);
  found.peak_bytes_shared =
      changes_shared_.empty() ? found.peak_bytes : peak_bytes(changes_shared_, bytes);
  return found;
}

std::vector<std::int64_t> StepFamily::block_bytes(const StepSize& size) const {
  std::vector<std::int64_t> bytes;
  bytes.reserve(blocks_.size());
  for (const Block& block : blocks_) {
    std::int64_t product = block.constant;
    for (const SizePolynomial& factor : block.factors) product *= factor.at(size);
    bytes.push_back(product);
  }
  return bytes;
}

std::int64_t StepFamily::peak_bytes(const Changes& changes,
                                    const std::vector<std::int64_t>& bytes) {
  std::int64_t live = 0;
  std::int64_t peak = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    live += changes[i].count * bytes[std::size_t(changes[i].block)];
    const bool is_last_of_call = i + 1 == changes.size() || changes[i + 1].call != changes[i].call;
    if (is_last_of_call) peak = std::max(peak, live);
  }
  return peak;
}

}  // namespace siliconprof
