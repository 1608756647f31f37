#include "siliconprof/devices/framework_memory.h"

#include <utility>

#include "siliconprof/ops/liveness.h"

namespace siliconprof {
namespace {

std::int64_t& of_role(MemoryPoint& point, Role role) {
  return point.by_role_bytes[static_cast<std::size_t>(role)];
}

/// What is asked for and not yet given back, by role.
std::vector<MemoryPoint> asked_for(const Requests& requests, std::span<const std::int64_t> bytes) {
  std::vector<MemoryPoint> points(std::size_t(requests.calls()));
  MemoryPoint now{};
  follow(
      requests, [&](std::size_t i, int sign) { of_role(now, requests[i].role) += sign * bytes[i]; },
      [&](std::int32_t call) {
        now.call = call;
        points[std::size_t(call)] = now;
      });
  return points;
}

}  // namespace

FrameworkMemory framework_memory(const Trace& trace, const AllocatorRules& rules, bool with_host) {
  const Requests asked = requests(trace, rules);
  const std::vector<std::int64_t> bytes = bytes_of(asked, trace, rules);
  FrameworkMemory found{replay(asked, bytes, rules), {}};
  std::vector<MemoryPoint> points = asked_for(asked, bytes);
  for (std::size_t call = 0; call < points.size(); ++call) {
    const std::int64_t rounding =
        found.replay.held[call].allocated_bytes - points[call].live_bytes();
    of_role(points[call], Role::Temporary) += rounding;
  }
  if (with_host && keeps_on_host(trace)) {
    const MemoryTimeline on_host = memory_timeline(trace, MemoryOf::Host);
    for (std::size_t call = 0; call < points.size(); ++call) {
      for (std::size_t role = 0; role < kRoleCount; ++role) {
        points[call].by_role_bytes[role] += on_host.points()[call].by_role_bytes[role];
      }
    }
  }
  found.timeline = MemoryTimeline(std::move(points));
  return found;
}

}  // namespace siliconprof
