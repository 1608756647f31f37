#pragma once

// Large tensors on large pages: fewer faults at first touch, fewer misses in the TLB afterwards.

#include <cstddef>

namespace siliconprof {

/// Asks the system to back this memory with huge pages; where it can't, nothing happens. `memory`
/// is aligned to a huge page.
void ask_for_huge_pages(void* memory, std::size_t bytes);

}  // namespace siliconprof
