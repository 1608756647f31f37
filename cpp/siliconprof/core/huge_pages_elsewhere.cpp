#if !defined(__linux__)

#include "siliconprof/core/huge_pages.h"

namespace siliconprof {

void ask_for_huge_pages(void*, std::size_t) {}

}  // namespace siliconprof

#endif
