#if defined(__linux__)

#include <sys/mman.h>

#include "siliconprof/core/huge_pages.h"
#include "siliconprof/core/rounding.h"

namespace siliconprof {

// Most systems grant huge pages only to those who ask ("madvise"); a refusal costs speed alone.
void ask_for_huge_pages(void* memory, std::size_t bytes) {
  static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
}

std::int64_t on_huge_pages(std::int64_t bytes) {
  constexpr auto kPage = std::int64_t(kHugePageBytes);
  return bytes < kPage ? bytes : rounded_up(bytes, kPage);
}

}  // namespace siliconprof

#endif
