#pragma once

// Sizes of a tensor, row-major, last axis fastest. A small value type: no allocation.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace siliconprof {

inline constexpr int kMaxRank = 5;

struct Shape {
  std::array<std::int64_t, kMaxRank> sizes{};
  int rank = 0;

  Shape() = default;
  /// Throws ShapeError above kMaxRank axes or for a negative size.
  Shape(std::initializer_list<std::int64_t> list);
  explicit Shape(std::span<const std::int64_t> list);

  std::span<const std::int64_t> view() const { return {sizes.data(), std::size_t(rank)}; }
  std::int64_t operator[](int axis) const { return sizes[std::size_t(axis)]; }
  /// Number of elements; 1 for rank 0. Throws ShapeError on overflow.
  std::int64_t elements() const;
  bool operator==(const Shape&) const = default;
};

/// "(8, 2000, 2000)".
std::string to_string(const Shape& shape);

}  // namespace siliconprof
