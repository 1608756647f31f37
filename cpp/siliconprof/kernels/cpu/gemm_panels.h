#pragma once

// Matrices as the tiles of gemm_kernels.h want their B: in panels of neighbouring columns, k rows
// one after the other, zeros past the last column.

#include <algorithm>
#include <cstdint>

#include "siliconprof/core/rounding.h"

namespace siliconprof::cpu {

/// Panels of a matrix of k rows and n columns; panel p is at p·k·width.
inline std::int64_t panel_count(std::int64_t n, std::int64_t width) { return divided_up(n, width); }

inline constexpr std::int64_t kPanelsRoomBytes = std::int64_t{384} << 10;

/// Bytes of panels that little else in a core's second cache, of `cache_bytes`, has to stay beside.
inline std::int64_t wide_room_bytes(std::int64_t cache_bytes) {
  return std::max(kPanelsRoomBytes, cache_bytes / 8 * 3);
}

/// Bytes of panels that stay there beside what is multiplied by them, of `rows_bytes`: what doesn't
/// stay itself wants to come as seldom as can be.
inline std::int64_t panels_room_bytes(std::int64_t rows_bytes, std::int64_t cache_bytes) {
  return rows_bytes > cache_bytes ? wide_room_bytes(cache_bytes) : kPanelsRoomBytes;
}

/// Panels that fill so many bytes.
inline std::int64_t panels_at_once(std::int64_t k, std::int64_t width, std::size_t element_bytes,
                                   std::int64_t room_bytes) {
  return std::max<std::int64_t>(
      1, room_bytes / std::max<std::int64_t>(1, k * width * std::int64_t(element_bytes)));
}

/// Rows of a tile whose rows of A lie `step_bytes` apart: of lines that lie whole pages apart the
/// first cache has places for as many as it has pages. Where these are twelve, a row or two too
/// many come from the second cache in time: 14 rows at once take 0.92 of the time of 8 (an Intel
/// Xeon with AMX), and 12 or 13 lie between.
inline std::int64_t rows_that_fit(std::int64_t most, std::int64_t step_bytes,
                                  std::int64_t first_cache_bytes) {
  constexpr std::int64_t kPage = 4096;
  constexpr std::int64_t kEnoughPages = 12;
  const std::int64_t pages = first_cache_bytes / kPage;
  const bool collides = step_bytes != 0 && step_bytes % kPage == 0;
  return collides && pages < kEnoughPages ? std::min(most, pages) : most;
}

/// `length` cut into the fewest parts of at most `most`, as even as can be: the size of a part.
inline std::int64_t even_part(std::int64_t length, std::int64_t most) {
  const std::int64_t parts = divided_up(length, most);
  return parts == 0 ? 1 : divided_up(length, parts);
}

}  // namespace siliconprof::cpu
