#pragma once

// Whole parts: how many there are, and how far they reach.

#include <cstdint>

namespace siliconprof {

/// Parts of `part`, above 0, that n takes: n / part, rounded up.
constexpr std::int64_t divided_up(std::int64_t n, std::int64_t part) {
  return n >= 0 ? (n + part - 1) / part : -(-n / part);
}

/// The smallest multiple of `part`, above 0, that is no less than n.
constexpr std::int64_t rounded_up(std::int64_t n, std::int64_t part) {
  return divided_up(n, part) * part;
}

}  // namespace siliconprof
