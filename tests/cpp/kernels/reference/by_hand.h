#pragma once

// Definitions run on values whose results are worked out by hand.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace siliconprof::reference {

/// What a definition calls as it goes on, and does nothing.
inline constexpr auto kStep = [](std::int64_t) {};

template <std::size_t N>
void expect_near(const std::array<double, N>& found, const std::array<double, N>& wanted) {
  for (std::size_t i = 0; i < N; ++i) EXPECT_NEAR(found[i], wanted[i], 1e-12) << i;
}

}  // namespace siliconprof::reference
