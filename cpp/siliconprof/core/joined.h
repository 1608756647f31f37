#pragma once

// One table of several: families keep their own, a contents page joins them.

#include <algorithm>
#include <array>

namespace siliconprof {

template <class T, std::size_t... N>
constexpr std::array<T, (N + ...)> joined(const std::array<T, N>&... tables) {
  std::array<T, (N + ...)> all{};
  auto next = all.begin();
  ((next = std::copy(tables.begin(), tables.end(), next)), ...);
  return all;
}

}  // namespace siliconprof
