#pragma once

// The keys of dropout's generator (dropout_bits.inc), which the seed gives.

#include <bit>
#include <cmath>
#include <cstdint>

namespace siliconprof {

/// Elements that share their keys.
inline constexpr std::int64_t kDropoutRun = std::int64_t{1} << 16;

struct DropoutKeys {
  std::uint32_t first;
  std::uint32_t second;
};

/// Of one run: a step of SplitMix64 (Steele, Lea and Flood), whose state is seed and run mixed.
inline DropoutKeys dropout_keys(double seed, std::int64_t run) {
  const auto mixed = [](std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  };
  const std::uint64_t start = mixed(std::bit_cast<std::uint64_t>(seed + 0.0) + 0x9e3779b97f4a7c15U);
  const std::uint64_t keys = mixed(start + std::uint64_t(run) * 0x9e3779b97f4a7c15U);
  return {std::uint32_t(keys), std::uint32_t(keys >> 32)};
}

/// Bits below this drop an element: 0 for rate 0, 2^23 for 1.
inline std::uint32_t dropout_threshold(double rate) {
  return std::uint32_t(std::lround(rate * 0x1p23));
}

}  // namespace siliconprof
