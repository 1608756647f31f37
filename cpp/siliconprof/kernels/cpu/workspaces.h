#pragma once

// What kernels keep for themselves beside the tensors of a trace.

#include <cstdint>
#include <string_view>
#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof::cpu {

/// Memory that a kernel takes at its largest call and keeps for the next.
struct Workspace {
  std::string_view name;
  std::int64_t bytes;
  bool operator==(const Workspace&) const = default;
};

/// The convolutions' weights in panels and partial sums. Other kernels keep single megabytes at
/// most, in the range of what the process itself varies by; they are left out.
std::vector<Workspace> workspaces(const Trace& trace);

}  // namespace siliconprof::cpu
