#pragma once

// Matrices as the tiles of gemm_kernels.h want their B: in panels of neighbouring columns, k rows
// one after the other, zeros past the last column.

#include <algorithm>
#include <cstdint>

namespace siliconprof::cpu {

/// to[i·width + j] = from[i·k_step + j·n_step] for k rows and n ≤ width columns, 0 up to the width.
template <class T>
void pack_panel(const T* from, std::int64_t k_step, std::int64_t n_step, std::int64_t k,
                std::int64_t n, std::int64_t width, T* to) {
  if (n_step == 1) {
    for (std::int64_t i = 0; i < k; ++i) {
      std::copy_n(from + i * k_step, n, to + i * width);
      std::fill(to + i * width + n, to + (i + 1) * width, T(0));
    }
    return;
  }
  // Column by column a block of rows at a time: reads of a line at once, writes in the first cache.
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t i = 0; i < k; i += kBlock) {
    const std::int64_t rows = std::min(kBlock, k - i);
    if (n < width) std::fill(to + i * width, to + (i + rows) * width, T(0));
    for (std::int64_t j = 0; j < n; ++j) {
      const T* column = from + i * k_step + j * n_step;
      T* out = to + i * width + j;
      for (std::int64_t r = 0; r < rows; ++r) out[r * width] = column[r * k_step];
    }
  }
}

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
