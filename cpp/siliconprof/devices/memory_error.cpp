#include "siliconprof/devices/memory_error.h"

#include <algorithm>

#include "siliconprof/devices/roofline.h"
#include "siliconprof/devices/unit_rates.h"

namespace siliconprof {

Interval MemoryError::around(double peak_bytes, bool convolves) const {
  const Interval own = bounds(peak_bytes, part);
  if (!convolves) return own;
  return {std::min(own.lo, std::max(peak_bytes - workspace_bytes, 0.0)),
          std::max(own.hi, peak_bytes + workspace_bytes)};
}

bool convolves(const Trace& trace) {
  return std::any_of(trace.calls().begin(), trace.calls().end(),
                     [](const OpCall& call) { return call.op->op_class == OpClass::Convolution; });
}

std::optional<MemoryError> memory_error(const Device& device, const Framework& framework) {
  const Number* part = find_scoped(device, framework, "interval", "memory_part");
  if (part == nullptr) return std::nullopt;
  const Number* workspaces = find_scoped(device, framework, "interval", "workspace_bytes");
  return MemoryError{part->value, workspaces ? workspaces->value : 0.0};
}

}  // namespace siliconprof
