#pragma once

// Operands and results of half_product.h that don't lie as a matrix.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "siliconprof/kernels/cpu/half_panels.h"

namespace siliconprof::cpu {

/// Elements that are made together: of a panel's line, those of a step.
inline constexpr std::int64_t kMadeChunk = kPanelTerms;

/// Where rows go that are made: element j of row i to to[i·row_step + j / kMadeChunk·chunk_step +
/// j % kMadeChunk]. A last chunk is filled up with zeros.
struct MadeTo {
  std::uint16_t* to;
  std::int64_t row_step;
  std::int64_t chunk_step;
};

/// Writes one row of them.
class MadeRow {
 public:
  MadeRow(const MadeTo& all, std::int64_t row)
      : to_(all.to + row * all.row_step), chunk_step_(all.chunk_step) {}

  void copy(const std::uint16_t* from, std::int64_t n) {
    while (n > 0) {
      const std::int64_t part = std::min(n, kMadeChunk - at_);
      if (part == kMadeChunk) {  // known to the compiler: a vector or two
        std::memcpy(to_, from, std::size_t(kMadeChunk) * sizeof *from);
      } else {
        copy_part(from, part, to_ + at_);
      }
      from += part;
      n -= part;
      advance(part);
    }
  }
  void zeros(std::int64_t n) {
    while (n > 0) {
      const std::int64_t part = std::min(n, kMadeChunk - at_);
      std::fill_n(to_ + at_, part, std::uint16_t{0});
      n -= part;
      advance(part);
    }
  }
  void end() {
    if (at_ > 0) zeros(kMadeChunk - at_);
  }

 private:
  /// Less than a chunk: two blocks that may overlap, or one after the other.
  static void copy_part(const std::uint16_t* from, std::int64_t n, std::uint16_t* to) {
    if (n >= 8) {
      for (std::int64_t i = 0; i + 8 < n; i += 8) std::memcpy(to + i, from + i, 16);
      std::memcpy(to + n - 8, from + n - 8, 16);
    } else if (n >= 4) {
      std::memcpy(to, from, 8);
      std::memcpy(to + n - 4, from + n - 4, 8);
    } else {
      for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
    }
  }

  void advance(std::int64_t part) {
    at_ += part;
    if (at_ < kMadeChunk) return;
    at_ = 0;
    to_ += chunk_step_;
  }

  std::uint16_t* to_;
  std::int64_t chunk_step_;
  std::int64_t at_ = 0;
};

/// A matrix of halves whose rows are made when they are wanted.
class MadeRows {
 public:
  /// Columns [column, column + columns) of rows [row, row + rows).
  virtual void make(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns,
                    const MadeTo& to) const = 0;

 protected:
  MadeRows() = default;
  MadeRows(const MadeRows&) = default;
  MadeRows& operator=(const MadeRows&) = default;
  ~MadeRows() = default;
};

/// Rows of a result that lie `step` elements apart.
struct PlacedRows {
  std::int64_t element;  // of the first
  std::int64_t step;
  std::int64_t rows;
};

/// Where the rows of a result lie.
class RowPlaces {
 public:
  /// From `row` on.
  virtual PlacedRows from(std::int64_t row) const = 0;

 protected:
  RowPlaces() = default;
  RowPlaces(const RowPlaces&) = default;
  RowPlaces& operator=(const RowPlaces&) = default;
  ~RowPlaces() = default;
};

}  // namespace siliconprof::cpu
