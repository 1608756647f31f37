#pragma once

// A convolution's windows as rows of a matrix, its weights as rows of the other, and where results
// lie: what makes it a product of half_product.h.

#include <cstdint>
#include <vector>

#include "siliconprof/kernels/cpu/convolution_grid.h"
#include "siliconprof/kernels/cpu/made_rows.h"

namespace siliconprof::cpu {

struct PlaneSizes {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t channels;
};

/// Row (image, i, j): what result (i, j) of the two axes sees of the data (images, rows, columns,
/// channels) under each tap, channels together; zeros where a tap falls beside the data.
class WindowRows final : public MadeRows {
 public:
  WindowRows(const std::uint16_t* data, GridAxis rows, GridAxis columns, std::int64_t channels);

  void make(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns,
            const MadeTo& to) const override;

 private:
  void ask(const std::uint16_t* from) const;
  void make_row(std::int64_t row, std::int64_t column, std::int64_t end, MadeRow to) const;

  const std::uint16_t* data_;
  GridAxis rows_;
  GridAxis columns_;
  std::int64_t channels_;
  std::int64_t line_;  // a row of taps, in columns of the matrix
};

/// Of weights (outputs, taps, channels) those of the axes' taps, one row of taps after the other.
class TapWeights : public MadeRows {
 public:
  TapWeights(const std::uint16_t* weight, const Convolution& c, const GridAxis& rows,
             const GridAxis& columns);

 protected:
  ~TapWeights() = default;
  std::int64_t outputs() const { return outputs_; }
  std::int64_t channels() const { return channels_; }
  /// The channels of an output under the axes' tap of this number.
  const std::uint16_t* at(std::int64_t output, std::int64_t tap) const {
    return weight_ + (output * all_taps_ + taps_[std::size_t(tap)]) * channels_;
  }

 private:
  const std::uint16_t* weight_;
  std::int64_t outputs_;
  std::int64_t channels_;
  std::int64_t all_taps_;
  std::vector<std::int64_t> taps_;
};

/// Row (output), columns (tap, channel).
class WeightsByOutput final : public TapWeights {
 public:
  using TapWeights::TapWeights;
  void make(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns,
            const MadeTo& to) const override;
};

/// Row (tap, output), columns (channel).
class WeightsByTap final : public TapWeights {
 public:
  using TapWeights::TapWeights;
  void make(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns,
            const MadeTo& to) const override;
};

/// Result (image, i, j) of the two axes in planes (images, rows, columns, channels).
class GridPlaces final : public RowPlaces {
 public:
  GridPlaces(const GridAxis& rows, const GridAxis& columns, const PlaneSizes& planes)
      : rows_(rows), columns_(columns), planes_(planes) {}

  PlacedRows from(std::int64_t row) const override;

 private:
  const GridAxis& rows_;
  const GridAxis& columns_;
  PlaneSizes planes_;
};

}  // namespace siliconprof::cpu
