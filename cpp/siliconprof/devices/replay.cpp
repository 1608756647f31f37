#include "siliconprof/devices/replay.h"

namespace siliconprof {

std::vector<std::vector<std::size_t>> by_call(std::span<const Allocation> allocations,
                                              std::int32_t calls, bool begun) {
  std::vector<std::vector<std::size_t>> found(static_cast<std::size_t>(calls));
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    const std::int32_t call = begun ? allocations[i].first : allocations[i].last;
    found[std::size_t(call)].push_back(i);
  }
  return found;
}

}  // namespace siliconprof
