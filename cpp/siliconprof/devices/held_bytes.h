#pragma once

// What steps hold of a device's memory at most, each asked once of each allocator.

#include <cstdint>
#include <optional>
#include <vector>

#include "siliconprof/devices/allocator_rules.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {

class HeldBytes {
 public:
  /// The peak of framework_memory; that of the tensors where nothing is known of the allocator.
  /// `with_host`: the device's memory is the host's too. Traces outlive this.
  std::int64_t of(const Trace& trace, const std::optional<AllocatorRules>& rules, bool with_host);

 private:
  struct Known {
    const Trace* trace;
    std::optional<AllocatorRules> rules;
    bool with_host;
    std::int64_t bytes;
  };
  std::vector<Known> known_;
};

}  // namespace siliconprof
