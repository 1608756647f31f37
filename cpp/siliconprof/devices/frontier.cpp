#include "siliconprof/devices/frontier.h"

#include <algorithm>
#include <numeric>

namespace siliconprof {

bool dominates(const Costs& a, const Costs& b) {
  bool is_better = false;
  for (std::size_t i = 0; i < kRespects; ++i) {
    if (a[i] > b[i]) return false;
    is_better = is_better || a[i] < b[i];
  }
  return is_better;
}

std::vector<bool> frontier(std::span<const Costs> choices) {
  // In lexicographic order nothing is dominated by what comes after it, and whatever is dominated
  // is so by a choice on the frontier.
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return choices[a] < choices[b]; });
  std::vector<bool> is_on(choices.size(), false);
  std::vector<std::size_t> kept;
  for (const std::size_t choice : order) {
    const bool is_beaten = std::any_of(kept.begin(), kept.end(), [&](std::size_t other) {
      return dominates(choices[other], choices[choice]);
    });
    if (is_beaten) continue;
    kept.push_back(choice);
    is_on[choice] = true;
  }
  return is_on;
}

}  // namespace siliconprof
