#include "siliconprof/devices/host_waits.h"

#include <algorithm>

namespace siliconprof {

std::vector<std::int32_t> host_waits(const Trace& trace, bool eager) {
  const auto& calls = trace.calls();
  std::vector<std::int32_t> waits;
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const bool checked = calls[i - 1].op->name == "unscale";
    if (checked && calls[i].op->name != "unscale") waits.push_back(std::int32_t(i));
  }
  for (const Section& section : trace.sections()) {
    const auto first = std::size_t(section.first_call);
    if (!eager || section.name != "embedding" || first == 0 || first >= calls.size()) continue;
    if (calls[first].phase == Phase::Forward) waits.push_back(section.first_call);
  }
  std::sort(waits.begin(), waits.end());
  return waits;
}

}  // namespace siliconprof
