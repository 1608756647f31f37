#include "siliconprof/devices/walk.h"

#include <algorithm>
#include <cmath>

namespace siliconprof {
namespace {

/// Seconds that the longest row of a batch norm takes a core.
double row_s(const OpCall& call, const OpFacts& facts) {
  const auto& rate = facts.row_elements_per_s[std::size_t(call.dtype)];
  if (!rate) return 0.0;
  const auto [outer, channels, inner] = first<3>(call.dims);
  return double(outer * inner) / *rate;
}

/// Of the op's bandwidth, what its cores keep up with. Memory and cores hide most of the shorter of
/// their times, not all: as if they were independent, squares add up.
double cores_part(const OpCall& call, const OpFacts& facts, const Rates& rates) {
  const auto& own = facts.cores_bytes_per_s[std::size_t(call.dtype)];
  return own ? 1.0 / std::hypot(1.0, rates.of(*call.op).bandwidth.per_s / *own) : 1.0;
}

}  // namespace

Walk walk_of(const OpCall& call, const Rates& rates) {
  const OpFacts* facts = rates.facts_of(*call.op);
  if (!facts) return {};
  const Rate& stream = rates.by_class[std::size_t(OpClass::Elementwise)].bandwidth;
  const AccessUnit& access = facts->access;
  return {access_part(call, access) * cores_part(call, *facts, rates),
          arithmetic_part(call, access),
          access.exposed_part,
          std::max({row_s(call, *facts), elements_s(call, access), rows_s(call, access),
                    queued_s(call, access)}),
          time_at(again_bytes(call, access), stream),
          access.start_s};
}

}  // namespace siliconprof
