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

/// What of a call's operands lies across the others: a walk of its own over all elements, or of
/// norms a kernel before them that copies.
void cross(const OpCall& call, const Rates& rates, Walk& walk) {
  if (!call.crosses || rates.across_elements_per_s == 0.0) return;
  const OpFacts* facts = rates.facts_of(*call.op);
  const auto own = facts ? facts->access.across_elements_per_s : std::nullopt;
  const double seconds = crossed_elements(call) / own.value_or(rates.across_elements_per_s);
  if (call.op->op_class == OpClass::RowNormalisation) {
    walk.again_s += rates.kernel_s + seconds;
  } else {
    walk.least_vector_s = std::max(walk.least_vector_s, seconds);
  }
}

Walk by_facts(const OpCall& call, const Rates& rates) {
  const OpFacts* facts = rates.facts_of(*call.op);
  if (!facts) return {};
  const Rate& stream = rates.by_class[std::size_t(OpClass::Elementwise)].bandwidth;
  const AccessUnit& access = facts->access;
  const double narrow_part = call.narrow ? access.narrow_part : 1.0;
  const double kept_up = cores_part(call, *facts, rates);
  return {access_part(call, access) * kept_up / narrow_part,
          kept_up,
          arithmetic_part(call, access),
          access.exposed_part,
          std::max({row_s(call, *facts), elements_s(call, access), rows_s(call, access),
                    steps_s(call, access), queued_s(call, access)}),
          time_at(again_bytes(call, access), stream),
          further_start_s(call, access),
          access.start_error};
}

}  // namespace

Walk walk_of(const OpCall& call, const Rates& rates) {
  Walk walk = by_facts(call, rates);
  cross(call, rates, walk);
  return walk;
}

}  // namespace siliconprof
