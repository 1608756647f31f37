#include "siliconprof/core/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace siliconprof {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string_view> nearest_names(std::string_view found,
                                            std::span<const std::string_view> valid) {
  constexpr std::size_t kMost = 3;
  const std::size_t limit = std::max<std::size_t>(2, found.size() / 3);
  std::vector<std::pair<std::size_t, std::string_view>> close;
  for (const auto name : valid) {
    const std::size_t distance = edit_distance(found, name);
    const bool contained = found.size() >= 3 && name.find(found) != std::string_view::npos;
    if (distance <= limit || contained) close.emplace_back(distance, name);
  }
  std::stable_sort(close.begin(), close.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> names;
  for (const auto& [distance, name] : close) {
    if (names.size() < kMost) names.push_back(name);
  }
  return names;
}

}  // namespace siliconprof
