#pragma once

// Large tensors on large pages: fewer faults at first touch, fewer misses in the TLB afterwards.

#include <cstddef>
#include <cstdint>

namespace siliconprof {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

/// Asks the system to back this memory with huge pages; where it can't, nothing happens. `memory`
/// is aligned to a huge page.
void ask_for_huge_pages(void* memory, std::size_t bytes);

/// Bytes of memory behind a tensor of so many once all of them are written: whole huge pages from
/// one on, where the system has them and grants them.
std::int64_t on_huge_pages(std::int64_t bytes);

}  // namespace siliconprof
