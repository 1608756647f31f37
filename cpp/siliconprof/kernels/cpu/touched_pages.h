#pragma once

// Which pages of memory a run of a trace touches, in order, where BoundTrace places its tensors.

#include <cstdint>
#include <vector>

#include "siliconprof/kernels/cpu/page_replacement.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof::cpu {

inline constexpr std::int64_t kPageBytes = 4096;

/// Pages from `first` up to, not including, `end`, every `step`-th of them.
struct PageRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;

  bool operator==(const PageRange&) const = default;
};

/// Ranges that are gone through together, a page of each in turn.
using PageRound = std::vector<PageRange>;

struct TouchedPages {
  std::int64_t pages = 0;
  std::int64_t huge_pages = 0;    // of them, the first, that lie in huge pages
  std::vector<PageRange> filled;  // before the first call
  std::vector<PageRound> rounds;
};

/// An element-wise call goes through its operands and results together, another through one after
/// the other, each from end to end; of a table that is looked up as many pages as there are
/// indices. Products also touch what kernels keep for themselves.
TouchedPages touched_pages(const Trace& trace, int threads);

/// What each of so many runs, one after the other, shows in a memory of so many pages
/// (kernels/cpu/page_replacement.h). Throws ArgumentError for a limit that is too small.
std::vector<PageCounts> limited_passes(const TouchedPages& touched, int passes,
                                       std::int64_t limit_pages, std::int64_t read_ahead);

}  // namespace siliconprof::cpu
