#include "siliconprof/devices/access.h"

#include <algorithm>

#include "siliconprof/core/rounding.h"
#include "siliconprof/devices/axis_shares.h"

namespace siliconprof {
namespace {

/// Ops along an axis: what lies before it, its length, what lies behind it.
bool is_along_an_axis(const Op& op) {
  return op.dim_names.size() == 3 && op.dim_names[0] == "outer" && op.dim_names[1] == "size";
}

/// Ops that move rows of `columns` by an index of `count`.
bool is_by_index(const Op& op) { return op.dim_names.size() == 3 && op.dim_names[1] == "count"; }

std::int64_t tiles(std::int64_t n) { return divided_up(n, kProductTile); }

bool has_long_rows(const OpCall& call) {
  if (!is_along_an_axis(*call.op)) return false;
  const auto [outer, size, inner] = first<3>(call.dims);
  return size > kLongRow && inner == 1;
}

/// Whether what is walked together lies far apart: neighbours along the axis, or the left factor's
/// rows, of which a tile takes a few columns each.
bool is_far(const OpCall& call) {
  const std::int64_t bytes = size_bytes(call.dtype);
  if (call.op->product != nullptr) return call.op->product(call).lda * bytes > kFarRowBytes;
  return is_along_an_axis(*call.op) && call.dims[2] * bytes > kFarRowBytes;
}

/// Whether neighbours along the axis lie apart.
bool strides(const OpCall& call) { return is_along_an_axis(*call.op) && call.dims[2] > 1; }

AxisShares shares(const OpCall& call, const AccessUnit& unit) {
  const auto [outer, size, inner] = first<3>(call.dims);
  return axis_shares(outer, size, inner, unit.cores);
}

/// Of the room that a row takes, what its elements fill.
double filled_part(std::int64_t size, const AccessUnit& unit) {
  return size > 0 && size < unit.least_row ? double(size) / double(unit.least_row) : 1.0;
}

/// What short rows and axes that aren't the last leave of the rate that decides: the elements'
/// where there is one, else all rates.
double axis_part(const OpCall& call, const AccessUnit& unit) {
  if (!is_along_an_axis(*call.op)) return 1.0;
  const auto [outer, size, inner] = first<3>(call.dims);
  const double filled = filled_part(size, unit);
  if (inner > 1) return filled * unit.strided_part;
  if (outer <= 1 || size >= kShortRow) return filled;
  // Lanes that a row leaves idle: of 255 elements it takes no longer than of 256.
  return filled * std::max(unit.short_part, double(size) / double(kShortRow));
}

/// Of the cores, those that have a row; all where there is nothing to do.
double rows_part(std::int64_t rows, const AccessUnit& unit) {
  return rows > 0 && rows < unit.cores ? double(rows) / double(unit.cores) : 1.0;
}

/// Tiles along a side, by what is in them: a last one that isn't full does less work, in the time
/// of a full one.
double filled_tiles(std::int64_t n) { return std::max(1.0, double(n) / double(kProductTile)); }

/// Of the cores, those that have a tile; a library that splits the depth keeps more of them busy.
double busy_part(const ProductShape& shape, const AccessUnit& unit) {
  const double found = double(shape.batch) * filled_tiles(shape.m) * filled_tiles(shape.n);
  return std::min(1.0, std::max(unit.few_tiles_part, found / double(unit.cores)));
}

}  // namespace

double walked_elements(const OpCall& call) {
  const auto [a, b, c] = first<3>(call.dims);
  if (is_along_an_axis(*call.op)) return double(a * b * c);
  if (is_by_index(*call.op)) return double(b * c);
  return call.op->dim_names.size() == 1 ? double(a) : 0.0;
}

double access_part(const OpCall& call, const AccessUnit& unit) {
  const double far_part = unit.far_part < 1.0 && is_far(call) ? unit.far_part : 1.0;
  if (call.op->product != nullptr) return far_part * busy_part(call.op->product(call), unit);
  if (!is_along_an_axis(*call.op)) return 1.0;
  if (unit.long_passes > 0.0 && has_long_rows(call)) return rows_part(call.dims[0], unit);
  return unit.elements_per_s ? far_part : far_part * axis_part(call, unit);
}

double arithmetic_part(const OpCall& call, const AccessUnit& unit) {
  if (call.op->product == nullptr) return 1.0;
  const ProductShape shape = call.op->product(call);
  if (shape.batch > 1) return shape.n < kProductTile ? unit.thin_part : 1.0;
  // Layers and their gradients go another way: theirs are factors turned, or another phase.
  const bool is_plain = call.phase == Phase::Forward && !shape.along_depth;
  const bool is_long = std::max({shape.m, shape.k, shape.n}) > kLongSide;
  if (!is_plain || !is_long || unit.long_side_part == 1.0) return 1.0;
  return unit.long_side_part * double(shape.n) / double(tiles(shape.n) * kProductTile);
}

double elements_s(const OpCall& call, const AccessUnit& unit) {
  if (!unit.elements_per_s || (unit.long_passes > 0.0 && has_long_rows(call))) return 0.0;
  const double times = unit.place_bytes > 0.0 && is_by_index(*call.op) ? 2.0 : 1.0;
  return times * walked_elements(call) / (*unit.elements_per_s * axis_part(call, unit));
}

double rows_s(const OpCall& call, const AccessUnit& unit) {
  if (!unit.rows_per_s || !is_along_an_axis(*call.op)) return 0.0;
  const auto [outer, size, inner] = first<3>(call.dims);
  return double(outer * inner) / *unit.rows_per_s;
}

double steps_s(const OpCall& call, const AccessUnit& unit) {
  if (unit.step_s == 0.0 || !strides(call) || call.crosses) return 0.0;
  const AxisShares axis = shares(call, unit);
  return axis.gathered > 0 ? double(axis.gathered) * unit.shared_step_s
                           : double(axis.values) * unit.step_s;
}

double further_start_s(const OpCall& call, const AccessUnit& unit) {
  if (unit.step_s == 0.0 || !strides(call)) return unit.start_s;
  const bool is_one_kernel = call.crosses || shares(call, unit).gathered == 0;
  return is_one_kernel ? 0.0 : unit.start_s;
}

double crossed_elements(const OpCall& call) {
  double elements = 1.0;
  for (std::size_t i = 0; i < call.op->dim_names.size(); ++i) elements *= double(call.dims[i]);
  return elements;
}

double queued_s(const OpCall& call, const AccessUnit& unit) {
  if (unit.same_row_s == 0.0 || !is_by_index(*call.op) || call.dims[0] == 0) return 0.0;
  return unit.same_row_s * double(call.dims[1]) / double(call.dims[0]);
}

double again_bytes(const OpCall& call, const AccessUnit& unit) {
  if (has_long_rows(call)) {
    return unit.long_passes * double(call.op->cost(call).bytes_read) / access_part(call, unit);
  }
  if (is_by_index(*call.op)) return unit.place_bytes * walked_elements(call);
  if (unit.result_passes == 0.0 || call.op->product == nullptr) return 0.0;
  const ProductShape shape = call.op->product(call);
  return unit.result_passes * double(shape.batch * shape.m * shape.n * size_bytes(call.dtype));
}

}  // namespace siliconprof
