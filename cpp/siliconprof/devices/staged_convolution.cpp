#include "siliconprof/devices/staged_convolution.h"

#include <algorithm>

#include "siliconprof/core/rounding.h"
#include "siliconprof/devices/roofline.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kDepthTile = 16;
constexpr std::int64_t kLanes = 32;

std::int64_t windows_of(const Convolution& c) {
  return c.batch * c.rows.windows() * c.columns.windows();
}

std::int64_t taps_of(const Convolution& c) { return c.rows.kernel * c.columns.kernel; }

bool is_few(const Convolution& c) { return has_fitting_kernel(c) && c.channels <= 4; }

/// Columns of an implicit product's tiles.
std::int64_t outputs_tile(const Convolution& c) {
  const bool is_large = windows_of(c) >= 8192 && c.channels >= 64;
  if (!has_fitting_kernel(c)) return is_large && c.outputs >= 64 ? 64 : 32;
  if (c.outputs <= 16) return 8;
  return is_large || c.outputs >= 64 ? 64 : 32;
}

/// Few channels fill the depth together, others each tap's.
std::int64_t staged_depth(const Convolution& c) {
  if (!is_few(c)) return taps_of(c) * rounded_up(c.channels, kDepthTile);
  return rounded_up(taps_of(c) * (c.channels <= 2 ? c.channels : 4), kDepthTile);
}

/// Threads that write windows out: groups of 256, whole vectors of them, wide in channels first and
/// then in taps; a copy's, of the first versions, lie in one row.
std::int64_t threads(const Convolution& c, bool is_copied) {
  const std::int64_t taps = taps_of(c);
  if (is_copied || c.channels == 0) return windows_of(c) * taps * c.channels;
  const std::int64_t width = rounded_up(std::min<std::int64_t>(c.channels, 64), kLanes);
  const std::int64_t height = 256 / width;
  const auto rows = [&](std::int64_t columns) {
    const std::int64_t whole = taps / height * rounded_up(columns * height, kLanes);
    return whole + rounded_up(columns * (taps % height), kLanes);
  };
  const std::int64_t each = c.channels / width * rows(width) + rows(c.channels % width);
  return windows_of(c) * each;
}

/// Of windows that are written out: a product of its own, bound by its factors and its result at
/// least.
StagedTime written_time(const Convolution& c, double element_bytes, const StagedUnit& unit) {
  const std::int64_t windows = windows_of(c);
  const std::int64_t depth = taps_of(c) * c.channels;
  if (depth == 0 || c.outputs == 0) return {0.0, 0.0};
  const bool has_two_axes = c.rows.length > 1;
  const double rate = unit.written_elements_per_s * (has_two_axes ? unit.two_axes_part : 1.0);
  const double bytes_s = double(windows * depth) * element_bytes / unit.bytes_per_s;
  const double others_s = double((windows + depth) * c.outputs) * element_bytes / unit.bytes_per_s;
  const std::int64_t tile = windows * c.outputs >= (std::int64_t{1} << 20) ? 64 : 32;
  const double flops =
      2.0 * double(windows * rounded_up(depth, kDepthTile)) * double(rounded_up(c.outputs, tile));
  const bool is_copied = unit.writes_out == WritesOut::All;
  return {roofline_s(flops / unit.flops_per_s, bytes_s + others_s),
          roofline_s(double(threads(c, is_copied)) / rate, bytes_s)};
}

}  // namespace

bool has_fitting_kernel(const Convolution& convolution) {
  const auto fits = [](std::int64_t n, std::int64_t few) { return n <= few || n % 16 == 0; };
  return fits(convolution.channels, 4) && fits(convolution.outputs, 16);
}

StagedTime staged_convolution_time(const Convolution& c, double traffic_bytes, double element_bytes,
                                   const StagedUnit& unit) {
  const bool is_unfit = c.rows.length == 1 || !has_fitting_kernel(c);
  if (unit.writes_out == WritesOut::All || (unit.writes_out == WritesOut::Unfit && is_unfit)) {
    return written_time(c, element_bytes, unit);
  }
  const std::int64_t tile = outputs_tile(c);
  const double columns = double(rounded_up(c.outputs, tile));
  const double elements = double(windows_of(c) * staged_depth(c));
  const bool is_slow = is_few(c) || !has_fitting_kernel(c);
  const double rate = unit.staged_elements_per_s * (is_slow ? unit.few_part : 1.0);
  const double kernel_s =
      2.0 * elements * columns / unit.flops_per_s + elements * columns / double(tile) / rate;
  return {roofline_s(kernel_s, traffic_bytes / unit.bytes_per_s), 0.0};
}

}  // namespace siliconprof
