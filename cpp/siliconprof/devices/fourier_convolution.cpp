#include "siliconprof/devices/fourier_convolution.h"

#include <algorithm>

#include "siliconprof/core/rounding.h"

namespace siliconprof {
namespace {

/// Tiles along an axis, of which neighbours overlap by what a window reaches over.
std::int64_t tiles_along(const WindowAxis& axis, std::int64_t tile) {
  const std::int64_t own = tile - axis.kernel + 1;
  return divided_up(axis.length, own);
}

bool suits(const Convolution& c, bool of_data, const FourierWay& way) {
  const bool is_windowed = c.rows.kernel * c.columns.kernel > 1;
  if (way.tile == 0 || !is_windowed || c.rows.stride * c.columns.stride > 1) return false;
  const auto fits = [&](const WindowAxis& axis) {
    return double(axis.length) >= way.side && double(axis.length) <= way.most_side &&
           axis.kernel <= way.tile && (way.cuts || tiles_along(axis, way.tile) <= 1);
  };
  if (!fits(c.rows) || !fits(c.columns) || double(c.batch) < way.images) return false;
  const double elements =
      double(c.batch) * (of_data ? double(c.channels * c.rows.length * c.columns.length)
                                 : double(c.outputs * c.rows.windows() * c.columns.windows()));
  const auto channels = double(std::min(c.channels, c.outputs));
  return elements >= way.elements && elements <= way.most_elements && channels >= way.channels &&
         channels <= way.most_channels;
}

}  // namespace

std::optional<FourierTime> fourier_time(const Convolution& c, bool of_data, const FourierWay& way,
                                        const ProductUnit& product, double transform_bytes_per_s) {
  if (!suits(c, of_data, way)) return std::nullopt;
  const std::int64_t tiles =
      c.batch * tiles_along(c.rows, way.tile) * tiles_along(c.columns, way.tile);
  // Half of the frequencies tell the others.
  const std::int64_t frequencies = way.tile * (way.tile / 2 + 1);
  const auto [from, to] =
      of_data ? std::pair{c.outputs, c.channels} : std::pair{c.channels, c.outputs};
  constexpr double kRealProducts = 4.0;  // of a complex one
  const ProductTime time =
      whole_product_time({frequencies, tiles, from, to, from, to, to}, product);
  constexpr double kComplex = 2.0;
  const double transformed =
      kComplex * double(frequencies) * double(tiles * (from + to) + from * to);
  const auto places = double(c.batch * c.rows.length * c.columns.length);
  const double plain =
      places * double(from + to) + double(from * to * c.rows.kernel * c.columns.kernel);
  return FourierTime{way.work * kRealProducts * time.total_s(),
                     product.element_bytes * (2.0 * transformed + plain) / transform_bytes_per_s};
}

}  // namespace siliconprof
