#include "siliconprof/devices/allocator_rules.h"

#include <algorithm>

#include "siliconprof/devices/allocator.h"
#include "siliconprof/devices/unit_rates.h"
#include "siliconprof/ops/liveness.h"

namespace siliconprof {
namespace {

class Constants {
 public:
  Constants(const Device& device, const Framework& framework)
      : device_(device), framework_(framework) {}

  const Number* look_up(const char* key) const {
    return find_scoped(device_, framework_, "memory", key);
  }
  double value(const char* key) const {
    if (const Number* number = look_up(key)) return number->value;
    const std::string scoped = "memory." + device_.vendor + "." + key;
    return find_number(framework_.numbers, framework_.id, {scoped}).value;  // throws, naming it
  }

 private:
  const Device& device_;
  const Framework& framework_;
};

/// The trace's tensors, for as long as it needs them.
std::vector<Allocation> tensors_of(const Trace& trace) {
  std::vector<Allocation> found;
  const std::vector<Lifetime> lives = lifetimes(trace);
  for (std::size_t id = 0; id < lives.size(); ++id) {
    const TensorInfo& tensor = trace.tensors()[id];
    if (tensor.is_view() || tensor.on_host || lives[id].first < 0) continue;
    found.push_back({tensor.bytes(), lives[id].first, lives[id].last, is_persistent(tensor.role)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Allocation& a, const Allocation& b) { return a.first < b.first; });
  return found;
}

struct ReplayOf {
  const Trace& trace;

  Replay operator()(const SegmentRules& rules) const {
    return run(CachingAllocator(), eager_allocations(trace, rules.eager));
  }
  Replay operator()(const HeapRules& rules) const {
    return run(HeapAllocator(rules.marks), eager_allocations(trace, {.cuda = false}));
  }
  Replay operator()(const CacheRules& rules) const {
    return run(BufferCache(rules.limits), tensors_of(trace));
  }

 private:
  template <class Allocator>
  Replay run(Allocator allocator, const std::vector<Allocation>& allocations) const {
    return siliconprof::replay(std::move(allocator), allocations,
                               std::int32_t(trace.calls().size()));
  }
};

}  // namespace

std::optional<AllocatorRules> allocator_rules(const Device& device, const Framework& framework) {
  const Constants constants(device, framework);
  if (const Number* workspace = constants.look_up("workspace_bytes")) {
    return SegmentRules{{.workspace_bytes = std::int64_t(workspace->value)}};
  }
  const Number* limit = find(device.numbers, "memory.working_set_limit_bytes");
  if (limit == nullptr) return std::nullopt;
  const auto part = [&](const char* key) {
    return std::int64_t(constants.value(key) * limit->value);
  };
  if (constants.look_up("high_watermark_part") != nullptr) {
    return HeapRules{{part("low_watermark_part"), part("high_watermark_part")}};
  }
  if (constants.look_up("limit_part") == nullptr) return std::nullopt;
  const double capacity_bytes =
      find_number(device.numbers, device.id, {"memory.capacity_bytes"}).value;
  const auto most =
      std::min(part("limit_part"), std::int64_t(constants.value("capacity_part") * capacity_bytes));
  return CacheRules{{std::min(part("collect_part"), most), most}};
}

Replay replay(const Trace& trace, const AllocatorRules& rules) {
  return std::visit(ReplayOf{trace}, rules);
}

std::optional<std::int64_t> limit_bytes(const AllocatorRules& rules) {
  if (const auto* heaps = std::get_if<HeapRules>(&rules)) return heaps->marks.high_bytes;
  if (const auto* cache = std::get_if<CacheRules>(&rules)) return cache->limits.most_bytes;
  return std::nullopt;
}

std::string over_limit(const AllocatorRules& rules, const Replay& found) {
  const std::string limit = std::to_string(limit_bytes(rules).value_or(0));
  if (found.refusal) {
    return "out of memory: PyTorch's allocator refuses call " +
           std::to_string(found.refusal->call) + " its " + std::to_string(found.refusal->bytes) +
           " bytes, as " + std::to_string(found.refusal->reserved_bytes) +
           " are reserved of at most " + limit +
           " (PYTORCH_MPS_HIGH_WATERMARK_RATIO); what is predicted is the step without that limit";
  }
  const auto* cache = std::get_if<CacheRules>(&rules);
  if (cache == nullptr || found.peak.allocated_bytes <= cache->limits.most_bytes) return {};
  return "over MLX's memory limit of " + limit +
         " bytes: it waits until what runs has ended, then goes on, and the system swaps";
}

}  // namespace siliconprof
