#include "siliconprof/devices/memory_family.h"

#include <algorithm>

#include "siliconprof/devices/eager_memory.h"
#include "siliconprof/ops/liveness.h"

namespace siliconprof {
namespace {

const std::array<AllocatorRules, std::variant_size_v<AllocatorRules>> kKinds{
    SegmentRules{}, HeapRules{}, CacheRules{}};

std::vector<std::int64_t> shapes(const std::vector<Trace>& traces, std::size_t tensor) {
  std::vector<std::int64_t> key{size_bytes(traces.front().tensors()[tensor].dtype)};
  for (const Trace& trace : traces) {
    const auto view = trace.tensors()[tensor].shape.view();
    key.insert(key.end(), view.begin(), view.end());
  }
  return key;
}

}  // namespace

MemoryFamily::MemoryFamily(const ProbeTraces& steps)
    : calls_(std::int32_t(steps.first().calls().size())) {
  read_blocks(steps);
  read_changes(steps.first());
  for (const AllocatorRules& rules : kKinds) {
    requests_[rules.index()] = siliconprof::requests(steps.first(), rules);
  }
}

void MemoryFamily::read_blocks(const ProbeTraces& steps) {
  std::map<std::vector<std::int64_t>, std::int32_t> places;
  const auto& tensors = steps.first().tensors();
  block_of_.reserve(tensors.size());
  for (std::size_t id = 0; id < tensors.size(); ++id) {
    const auto [found, is_new] =
        places.try_emplace(shapes(steps.traces, id), std::int32_t(blocks_.size()));
    block_of_.push_back(found->second);
    if (!is_new) continue;
    Block block{size_bytes(tensors[id].dtype), {}};
    for (int axis = 0; axis < tensors[id].shape.rank; ++axis) {
      const SizePolynomial size =
          steps.fitted([&](const Trace& trace) { return trace.tensors()[id].shape[axis]; });
      if (size.is_constant()) {
        block.constant *= size.factors[0];
      } else {
        block.factors.push_back(size);
      }
    }
    blocks_.push_back(std::move(block));
  }
}

void MemoryFamily::read_changes(const Trace& trace) {
  const std::vector<Lifetime> lives = lifetimes_in_memory(trace);
  Counts device;
  Counts host;
  Counts shared;
  for (std::size_t id = 0; id < lives.size(); ++id) {
    if (lives[id].first < 0) continue;
    for (Counts* each : {trace.tensors()[id].on_host ? &host : &device, &shared}) {
      (*each)[{lives[id].first, block_of_[id]}] += 1;
      (*each)[{lives[id].last + 1, block_of_[id]}] -= 1;
    }
  }
  changes_ = changes(device);
  changes_host_ = changes(host);
  if (!host.empty()) changes_shared_ = changes(shared);
}

MemoryFamily::Changes MemoryFamily::changes(const Counts& counts) {
  Changes found;
  for (const auto& [place, count] : counts) {
    if (count != 0) found.push_back({place.first, place.second, count});
  }
  return found;
}

MemoryFamily::BlockBytes MemoryFamily::block_bytes(const StepSize& size) const {
  BlockBytes bytes;
  bytes.reserve(blocks_.size());
  for (const Block& block : blocks_) {
    std::int64_t product = block.constant;
    for (const SizePolynomial& factor : block.factors) product *= factor.at(size);
    bytes.push_back(product);
  }
  return bytes;
}

std::int64_t MemoryFamily::peak(const Changes& changes, const BlockBytes& bytes) {
  std::int64_t live = 0;
  std::int64_t peak = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    live += changes[i].count * bytes[std::size_t(changes[i].block)];
    const bool is_last_of_call = i + 1 == changes.size() || changes[i + 1].call != changes[i].call;
    if (is_last_of_call) peak = std::max(peak, live);
  }
  return peak;
}

std::int64_t MemoryFamily::peak_bytes_shared(const BlockBytes& bytes) const {
  return peak(changes_shared_.empty() ? changes_ : changes_shared_, bytes);
}

std::vector<std::int64_t> MemoryFamily::host_bytes(const BlockBytes& bytes) const {
  if (changes_host_.empty()) return {};
  std::vector<std::int64_t> found(std::size_t(calls_) + 1);  // and after the last
  for (const Change& change : changes_host_) {
    found[std::size_t(change.call)] += change.count * bytes[std::size_t(change.block)];
  }
  for (std::size_t call = 1; call < found.size(); ++call) found[call] += found[call - 1];
  found.pop_back();
  return found;
}

std::vector<std::int64_t> MemoryFamily::request_bytes(const AllocatorRules& rules,
                                                      const BlockBytes& bytes,
                                                      const StepSummary& step) const {
  const auto tensor_bytes = [&](TensorId id) {
    return bytes[std::size_t(block_of_[std::size_t(id)])];
  };
  const auto call = [&](std::int32_t i) -> const OpCall& {
    return step.kinds[std::size_t(step.order[std::size_t(i)])].call;
  };
  return bytes_of(requests(rules), tensor_bytes, call, workspace_bytes(rules));
}

bool MemoryFamily::describes(const Trace& built, const StepSize& size,
                             const StepSummary& step) const {
  const BlockBytes bytes = block_bytes(size);
  if (peak_bytes(bytes) != built.memory().peak_bytes()) return false;
  if (peak_bytes_shared(bytes) != memory_timeline(built, MemoryOf::Both).peak_bytes()) return false;
  const std::vector<std::int64_t> on_host = host_bytes(bytes);
  if (on_host.empty() == keeps_on_host(built)) return false;
  const MemoryTimeline host = memory_timeline(built, MemoryOf::Host);
  for (std::size_t call = 0; call < on_host.size(); ++call) {
    if (on_host[call] != host.points()[call].live_bytes()) return false;
  }
  return std::all_of(kKinds.begin(), kKinds.end(), [&](const AllocatorRules& rules) {
    const Requests asked = siliconprof::requests(built, rules);
    return asked == requests(rules) &&
           bytes_of(asked, built, rules) == request_bytes(rules, bytes, step);
  });
}

}  // namespace siliconprof
