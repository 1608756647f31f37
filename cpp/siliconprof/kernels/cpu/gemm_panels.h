#pragma once

// Matrices as the tiles of gemm_kernels.h want their B: in panels of neighbouring columns, k rows
// one after the other, zeros past the last column.

#include <algorithm>
#include <cstdint>

namespace siliconprof::cpu {

/// Panels of a matrix of k rows and n columns; panel p is at p·k·width.
inline std::int64_t panel_count(std::int64_t n, std::int64_t width) {
  return (n + width - 1) / width;
}

/// Panels that stay in a core's second cache beside what is multiplied by them.
inline std::int64_t panels_at_once(std::int64_t k, std::int64_t width, std::size_t element_bytes) {
  constexpr std::int64_t kBytes = std::int64_t{384} << 10;
  return std::max<std::int64_t>(
      1, kBytes / std::max<std::int64_t>(1, k * width * std::int64_t(element_bytes)));
}

/// Rows of a tile whose rows of A lie `step_bytes` apart: a distance of whole pages puts one line
/// of each into the same few places of the first cache.
inline std::int64_t rows_that_fit(std::int64_t most, std::int64_t step_bytes) {
  constexpr std::int64_t kPage = 4096;
  constexpr std::int64_t kRows = 8;
  return step_bytes != 0 && step_bytes % kPage == 0 ? std::min(most, kRows) : most;
}

/// `length` cut into the fewest parts of at most `most`, as even as can be: the size of a part.
inline std::int64_t even_part(std::int64_t length, std::int64_t most) {
  const std::int64_t parts = (length + most - 1) / most;
  return parts == 0 ? 1 : (length + parts - 1) / parts;
}

}  // namespace siliconprof::cpu
