#pragma once

// Where the tiles of winograd.h lie: 2 x 2 results, the 4 x 4 pixels of their data.

#include <array>
#include <cstdint>

#include "siliconprof/kernels/cpu/scratch.h"
#include "siliconprof/ops/convolution.h"

namespace siliconprof::cpu {

/// A tile's image and its first result there.
struct WinogradTile {
  std::int64_t image;
  std::int64_t row;
  std::int64_t column;
};

struct WinogradTiles {
  std::int64_t batch;
  std::int64_t rows;
  std::int64_t columns;

  static WinogradTiles of_results(std::int64_t batch, std::int64_t rows, std::int64_t columns) {
    return {batch, (rows + 1) / 2, (columns + 1) / 2};
  }
  std::int64_t count() const { return batch * rows * columns; }
  WinogradTile at(std::int64_t index) const {
    const std::int64_t line = index / columns;
    return {line / rows, line % rows * 2, index % columns * 2};
  }
};

/// Channels-last images.
template <class T>
struct Images {
  T* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t channels;

  /// The pixels of a square, row by row; `outside` for those that aren't in the image.
  template <std::size_t kSide>
  std::array<T*, kSide * kSide> square(const WinogradTile& first, T* outside) const {
    std::array<T*, kSide * kSide> pixels;
    for (std::size_t i = 0; i < kSide * kSide; ++i) {
      const std::int64_t row = first.row + std::int64_t(i / kSide);
      const std::int64_t column = first.column + std::int64_t(i % kSide);
      const bool there = row >= 0 && row < rows && column >= 0 && column < columns;
      pixels[i] =
          there ? data + ((first.image * rows + row) * columns + column) * channels : outside;
    }
    return pixels;
  }
};

/// Elements between products, so that those of a channel don't meet in one place of the first
/// cache.
inline constexpr std::int64_t kWinogradGap = 32;

/// A thread's memory for factors and products, while the caller's kernel_scratch() holds what they
/// share.
inline Scratch& winograd_scratch() {
  static thread_local Scratch scratch;
  return scratch;
}

/// What is taken of kernel_scratch(), and by all threads together of winograd_scratch().
struct WinogradBytes {
  std::int64_t shared = 0;
  std::int64_t blocks = 0;
};

/// Whether winograd.h is faster than summing the taps that fall on data: windows of 3 x 3 at every
/// position, enough of them, channels that fill panels.
template <class T>
bool winograd_suits(const Convolution& c);

}  // namespace siliconprof::cpu
