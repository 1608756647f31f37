#include "siliconprof/devices/usable_memory.h"

#include <algorithm>
#include <cmath>

#include "siliconprof/devices/unit_rates.h"

namespace siliconprof {

Number usable_memory(const Device& device, const Framework& framework) {
  Number whole = find_number(device.numbers, device.id,
                             {"memory.working_set_limit_bytes", "memory.capacity_bytes"});
  const Number* part = find(device.numbers, "memory.usable_part");
  const Number* context = find_scoped(device, framework, "memory", "context_bytes");
  if (part == nullptr && context == nullptr) return whole;
  const double there_bytes = whole.value * (part == nullptr ? 1.0 : part->value);
  const double taken_bytes = context == nullptr ? 0.0 : context->value;
  // Errors that have nothing to do with each other.
  const double off_bytes =
      std::hypot(there_bytes * whole.relative_error,
                 there_bytes * (part == nullptr ? 0.0 : part->relative_error),
                 context == nullptr ? 0.0 : taken_bytes * context->relative_error);
  Number left{std::max(there_bytes - taken_bytes, 0.0), NumberKind::Assumed,
              part == nullptr ? whole.source : part->source};
  if (left.value > 0.0) left.relative_error = std::min(off_bytes / left.value, 0.99);
  return left;
}

}  // namespace siliconprof
