#include "siliconprof/kernels/cpu/attention_halves.h"

#include <algorithm>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

std::span<const AttentionHalfLoops* const> runnable_attention_halves() {
  static const auto runnable = SILICONPROF_RUNNABLE_WIDE_BUILDS(kAttentionHalves);
  return runnable;
}

bool halves_suit_attention(const AttentionLayout& a) {
  std::int64_t tiles = 0;
  for (std::int64_t first = a.first_seeing(); first < a.queries; first += kPanelLines) {
    const std::int64_t last = std::min(first + kPanelLines, a.queries) - 1;
    tiles += divided_up(a.seen(last), kPanelLines);
  }
  const std::int64_t in_panels =
      tiles * kPanelLines * kPanelLines * rounded_up(a.head_dim, kPanelTerms);
  return in_panels < 2 * a.pairs() * a.head_dim;
}

std::int64_t attention_half_scratch(std::int64_t keys, std::int64_t head_dim) {
  const std::int64_t depth = rounded_up(head_dim, kPanelLines);
  const std::int64_t of_head = 3 * rounded_up(keys, kPanelLines) * depth / 2;
  const std::int64_t of_queries = kAttentionQueries * depth + 4 * kAttentionQueries * depth / 2;
  const std::int64_t of_scores = 2 * kAttentionKeys * kPanelLines;
  const std::int64_t of_slopes =
      kAttentionKeys * kAttentionQueries + kAttentionKeys * kPanelLines / 2;
  return of_head + of_queries + of_scores + of_slopes + 3 * kAttentionQueries;
}

std::int64_t attention_half_sums(std::int64_t keys, std::int64_t head_dim) {
  return 2 * rounded_up(keys, kPanelLines) * rounded_up(head_dim, kPanelLines);
}

}  // namespace siliconprof::cpu
