#include "siliconprof/devices/held_bytes.h"

#include <algorithm>

#include "siliconprof/devices/framework_memory.h"
#include "siliconprof/ops/liveness.h"

namespace siliconprof {
namespace {

std::int64_t held_bytes(const Trace& trace, const std::optional<AllocatorRules>& rules,
                        bool with_host) {
  if (rules) return framework_memory(trace, *rules, with_host).timeline.peak_bytes();
  return with_host ? memory_timeline(trace, MemoryOf::Both).peak_bytes()
                   : trace.memory().peak_bytes();
}

}  // namespace

std::int64_t HeldBytes::of(const Trace& trace, const std::optional<AllocatorRules>& rules,
                           bool with_host) {
  const bool adds_host = with_host && keeps_on_host(trace);
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& each) {
    return each.trace == &trace && each.with_host == adds_host && each.rules == rules;
  });
  if (found != known_.end()) return found->bytes;
  known_.push_back({&trace, rules, adds_host, held_bytes(trace, rules, adds_host)});
  return known_.back().bytes;
}

}  // namespace siliconprof
