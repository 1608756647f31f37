#if !defined(__linux__)

#include "siliconprof/core/huge_pages.h"

namespace siliconprof {

void ask_for_huge_pages(void*, std::size_t) {}

std::int64_t on_huge_pages(std::int64_t bytes) { return bytes; }

}  // namespace siliconprof

#endif
