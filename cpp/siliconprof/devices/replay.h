#pragma once

// What a step asks an allocator for, and what the allocator makes of it.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace siliconprof {

/// Memory that a step asks for while call number `first` begins and gives back after `last`.
struct Allocation {
  std::int64_t bytes = 0;
  std::int32_t first = 0;
  std::int32_t last = 0;
  bool lasting = false;  // asked for in the first step alone and never given back

  bool operator==(const Allocation&) const = default;
};

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
  Held peak;                       // each at its own time
  std::vector<Held> held;          // of each call, once it has all that it asks for
  std::optional<Refusal> refusal;  // the first

  bool operator==(const Replay&) const = default;
};

/// Numbers of the allocations by the call that they begin with, or else end with, in their order.
std::vector<std::vector<std::size_t>> by_call(std::span<const Allocation> allocations,
                                              std::int32_t calls, bool begun);

/// Runs a step of so many calls twice; tells of the second, which finds the cache filled, but for a
/// refusal in the first. Allocations of one call are made in their order; those that it ends are
/// freed after it. An allocator goes on after a refusal as if it had no limit.
template <class Allocator>
Replay replay(Allocator allocator, std::span<const Allocation> allocations, std::int32_t calls) {
  const auto begun = by_call(allocations, calls, true);
  const auto ended = by_call(allocations, calls, false);
  std::vector<typename Allocator::Block> blocks(allocations.size(), -1);
  Replay found;
  found.held.resize(begun.size());
  for (int step = 0; step < 2; ++step) {
    allocator.reset_peak();
    for (std::size_t call = 0; call < begun.size(); ++call) {
      for (const std::size_t i : begun[call]) {
        if (blocks[i] >= 0) continue;
        const std::int64_t reserved = allocator.reserved_bytes();
        blocks[i] = allocator.allocate(allocations[i].bytes);
        if (allocator.has_refused() && !found.refusal) {
          found.refusal = Refusal{std::int32_t(call), allocations[i].bytes, reserved};
        }
      }
      found.held[call] = {allocator.allocated_bytes(), allocator.reserved_bytes()};
      for (const std::size_t i : ended[call]) {
        if (allocations[i].lasting) continue;
        allocator.free(blocks[i]);
        blocks[i] = -1;
      }
    }
  }
  found.peak = {allocator.peak_allocated_bytes(), allocator.peak_reserved_bytes()};
  return found;
}

}  // namespace siliconprof
