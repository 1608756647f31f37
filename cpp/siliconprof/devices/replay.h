#pragma once

// What a step asks an allocator for, and what the allocator makes of it.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "siliconprof/devices/requests.h"

namespace siliconprof {

/// A request that the allocator turns down, and what it held then.
struct Refusal {
  std::int32_t call = 0;
  std::int64_t bytes = 0;
  std::int64_t reserved_bytes = 0;

  bool operator==(const Refusal&) const = default;
};

/// Bytes that are out, and all that the allocator holds for them and keeps for later.
struct Held {
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = 0;

  bool operator==(const Held&) const = default;
};

struct Replay {
  Held peak;                             // each at its own time
  std::vector<Held> held;                // of each call, once it has all that it asks for
  std::optional<Refusal> refusal;        // the first
  std::int64_t most_reserved_bytes = 0;  // in either step

  bool operator==(const Replay&) const = default;
};

/// Runs a step twice, whose requests take so many bytes; tells of the second, which finds the cache
/// filled, but for a refusal in the first. A request of no bytes isn't made. An allocator goes on
/// after a refusal as if it had no limit.
template <class Allocator>
Replay replay(Allocator allocator, const Requests& requests, std::span<const std::int64_t> bytes) {
  std::vector<typename Allocator::Block> blocks(requests.size(), -1);
  Replay found;
  found.held.resize(std::size_t(requests.calls()));
  for (int step = 0; step < 2; ++step) {
    found.most_reserved_bytes =
        std::max(found.most_reserved_bytes, allocator.peak_reserved_bytes());
    allocator.reset_peak();
    for (std::int32_t call = 0; call < requests.calls(); ++call) {
      const auto [begin, end] = requests.made(call);
      for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
        if (blocks[i] >= 0 || bytes[i] == 0) continue;
        const std::int64_t reserved = allocator.reserved_bytes();
        blocks[i] = allocator.allocate(bytes[i]);
        if (allocator.has_refused() && !found.refusal) {
          found.refusal = Refusal{call, bytes[i], reserved};
        }
      }
      found.held[std::size_t(call)] = {allocator.allocated_bytes(), allocator.reserved_bytes()};
      for (const std::int32_t i : requests.given_back(call)) {
        auto& block = blocks[std::size_t(i)];
        if (block >= 0) allocator.free(std::exchange(block, -1));
      }
    }
  }
  found.peak = {allocator.peak_allocated_bytes(), allocator.peak_reserved_bytes()};
  found.most_reserved_bytes = std::max(found.most_reserved_bytes, found.peak.reserved_bytes);
  return found;
}

}  // namespace siliconprof
