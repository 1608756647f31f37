#pragma once

// Size arithmetic that reports overflow instead of wrapping.

#include <cstdint>
#include <span>
#include <string_view>

namespace siliconprof {

/// Product of sizes. Throws ShapeError naming `place` if it exceeds int64.
std::int64_t checked_product(std::string_view place, std::span<const std::int64_t> sizes);

/// Sum of two sizes, alike.
std::int64_t checked_sum(std::string_view place, std::int64_t a, std::int64_t b);

}  // namespace siliconprof
