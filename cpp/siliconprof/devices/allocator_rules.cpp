#include "siliconprof/devices/allocator_rules.h"

#include <algorithm>

#include "siliconprof/core/number_text.h"
#include "siliconprof/devices/allocator.h"
#include "siliconprof/devices/constants.h"
#include "siliconprof/devices/dropout_masks.h"
#include "siliconprof/devices/eager_memory.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

Replay run(const Requests& requests, std::span<const std::int64_t> bytes,
           const AllocatorRules& rules) {
  if (const auto* heaps = std::get_if<HeapRules>(&rules)) {
    return replay(HeapAllocator(heaps->marks), requests, bytes);
  }
  if (const auto* cache = std::get_if<CacheRules>(&rules)) {
    return replay(BufferCache(cache->limits), requests, bytes);
  }
  return replay(CachingAllocator(), requests, bytes);
}

}  // namespace

std::optional<AllocatorRules> allocator_rules(const Device& device, const Framework& framework) {
  const Constants constants(device, framework, "memory", "");
  if (const Number* workspace = constants.look_up("workspace_bytes")) {
    return SegmentRules{std::int64_t(workspace->value)};
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

Requests requests(const Trace& trace, const AllocatorRules& rules) {
  if (std::holds_alternative<CacheRules>(rules)) {
    return tensor_requests(trace, dropout_masks(trace, false));
  }
  return eager_requests(trace, std::holds_alternative<SegmentRules>(rules));
}

std::int64_t workspace_bytes(const AllocatorRules& rules) {
  const auto* segments = std::get_if<SegmentRules>(&rules);
  return segments == nullptr ? 0 : segments->workspace_bytes;
}

std::vector<std::int64_t> bytes_of(const Requests& requests, const Trace& trace,
                                   const AllocatorRules& rules) {
  const auto tensor_bytes = [&](TensorId id) { return trace.tensors()[std::size_t(id)].bytes(); };
  const auto call = [&](std::int32_t i) -> const OpCall& { return trace.calls()[std::size_t(i)]; };
  return bytes_of(requests, tensor_bytes, call, workspace_bytes(rules));
}

Replay replay(const Requests& requests, std::span<const std::int64_t> bytes,
              const AllocatorRules& rules) {
  Replay found = run(requests, bytes, rules);
  if (!is_refused_anyway(rules, most_asked_bytes(requests, bytes))) return found;
  const std::optional<Refusal> refusal = found.refusal;
  found = run(requests, bytes, without_limit(rules));
  found.refusal = refusal;
  return found;
}

Replay replay(const Trace& trace, const AllocatorRules& rules) {
  const Requests asked = requests(trace, rules);
  return replay(asked, bytes_of(asked, trace, rules), rules);
}

AllocatorRules without_limit(const AllocatorRules& rules) {
  if (std::holds_alternative<HeapRules>(rules)) return HeapRules{{kNoLimit, kNoLimit}};
  if (std::holds_alternative<CacheRules>(rules)) return CacheRules{{kNoLimit, kNoLimit}};
  return rules;
}

bool is_refused_anyway(const AllocatorRules& rules, std::int64_t most_asked_bytes) {
  const auto* heaps = std::get_if<HeapRules>(&rules);
  return heaps != nullptr && most_asked_bytes > heaps->marks.high_bytes;
}

bool is_within(const AllocatorRules& rules, const Replay& unlimited,
               std::span<const std::int64_t> bytes) {
  const std::int64_t held = unlimited.most_reserved_bytes;
  if (const auto* heaps = std::get_if<HeapRules>(&rules)) {
    const std::int64_t largest = bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
    return HeapAllocator::is_within(heaps->marks, held, largest);
  }
  const auto* cache = std::get_if<CacheRules>(&rules);
  return cache == nullptr || BufferCache::is_within(cache->limits, held);
}

std::int64_t most_asked_bytes(const Requests& requests, std::span<const std::int64_t> bytes) {
  std::int64_t asked = 0;
  std::int64_t most = 0;
  follow(
      requests, [&](std::size_t i, int sign) { asked += sign * bytes[i]; },
      [&](std::int32_t) { most = std::max(most, asked); });
  return most;
}

std::optional<std::int64_t> limit_bytes(const AllocatorRules& rules) {
  if (const auto* heaps = std::get_if<HeapRules>(&rules)) return heaps->marks.high_bytes;
  if (const auto* cache = std::get_if<CacheRules>(&rules)) return cache->limits.most_bytes;
  return std::nullopt;
}

std::string over_limit(const AllocatorRules& rules, const Replay& found) {
  const std::string limit = gigabytes_text(double(limit_bytes(rules).value_or(0)));
  if (found.refusal) {
    return "out of memory: PyTorch's allocator refuses call " +
           std::to_string(found.refusal->call) + " its " +
           gigabytes_text(double(found.refusal->bytes)) + ", as " +
           gigabytes_text(double(found.refusal->reserved_bytes)) + " are reserved of at most " +
           limit +
           " (PYTORCH_MPS_HIGH_WATERMARK_RATIO); what is predicted is the step without that limit";
  }
  const auto* cache = std::get_if<CacheRules>(&rules);
  if (cache == nullptr || found.peak.allocated_bytes <= cache->limits.most_bytes) return {};
  return "over MLX's memory limit of " + limit +
         ": it waits until what runs has ended, then goes on, and the system swaps";
}

}  // namespace siliconprof
