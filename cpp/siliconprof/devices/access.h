#pragma once

// How the order in which a kernel walks its data slows it down beyond its bytes: rows shorter than
// a group of threads leave lanes idle, an axis whose neighbours lie apart wastes what it loads, a
// product of fewer tiles than cores leaves cores idle, kernels that look each element's place up,
// or sort, pay for arithmetic on indices by the element, a kernel with a group of threads for each
// row pays by the row, writes to one row wait for each other, rows that lie megabytes apart need
// pages of their own, several kernels start one after the other, and what a framework doesn't fuse,
// or can't keep, goes over memory again.

#include <cstdint>
#include <optional>

#include "siliconprof/ops/op.h"

namespace siliconprof {

/// Rows of fewer elements are short: threads of one group of a GPU's reduction.
inline constexpr std::int64_t kShortRow = 256;
/// Rows of more elements are long: a group of threads can't keep one and reads it again. MLX keeps
/// 4096, PyTorch for CUDA about 12 000.
inline constexpr std::int64_t kLongRow = 8192;
/// Of a product's sides: longer ones don't fit 16 bits, which some libraries' kernels need.
inline constexpr std::int64_t kLongSide = 32767;
/// Bytes from one row to the next beyond which rows are far apart.
inline constexpr std::int64_t kFarRowBytes = 1 << 20;

struct AccessUnit {
  /// Elements that all cores together go through in a second: look up, sort, or compute where an
  /// operation is bound by its arithmetic; none: bytes alone count.
  std::optional<double> elements_per_s = std::nullopt;
  /// Part that is left at least along short rows, and along an axis that isn't the last: of the
  /// elements' rate where there is one, else of all rates.
  double short_part = 1.0;
  double strided_part = 1.0;
  /// Elements that a row takes the room of where it has fewer: of kernels whose groups of threads
  /// hold rows of one length.
  std::int64_t least_row = 0;
  /// Part that is left at least where a product's result has fewer tiles than the device has cores;
  /// more where the tiles alone keep more of them busy.
  double few_tiles_part = 1.0;
  std::int64_t cores = 0;
  /// Rows, however short, that all cores together get through in a second; none: bytes alone count.
  std::optional<double> rows_per_s = std::nullopt;
  /// Times that long rows are read again; one core has one of them, so few leave cores idle. They
  /// have a kernel of their own, which streams: elements have no rate there.
  double long_passes = 0.0;
  /// Part of a product's arithmetic that is left where one of its sides is long and neither factor
  /// turned, in whole tiles of columns; of products in batches, where each result has fewer columns
  /// than a tile.
  double long_side_part = 1.0;
  double thin_part = 1.0;
  /// Of a product's arithmetic and its traffic, the part of the shorter that the longer doesn't
  /// hide: tiles of a short depth load, multiply and store in turn.
  double exposed_part = 0.0;
  /// Times that a product's result is read or written again: twice for a bias added apart.
  double result_passes = 0.0;
  /// Of what goes by index: bytes of each element's places where a kernel before finds them, which
  /// goes through the elements as the one behind it does; they are written and read again.
  double place_bytes = 0.0;
  /// Of what goes by index: seconds of each write to one row, which wait for each other.
  double same_row_s = 0.0;
  /// Part of the rates that is left where the rows that are walked together, of a tensor or of a
  /// product's left factor, lie far apart.
  double far_part = 1.0;
  /// What a call's further kernels take however little they have to do, or a norm's wait for its
  /// rows; off by a part of that, 90 %.
  double start_s = 0.0;
  double start_error = 0.0;
  /// What a thread takes for each of its elements along an axis that isn't the last, and, where
  /// groups of threads share the axis, one for each part of a result that it gathers
  /// (axis_shares.h); further kernels, of start_s, clear what is gathered then.
  double step_s = 0.0;
  double shared_step_s = 0.0;
  /// Part of its time that is left where its operands are of 16 bits (OpCall::narrow).
  double narrow_part = 1.0;
  /// Elements that all cores together go over where operands lie across (OpCall::crosses); none:
  /// as many as of any op (Rates::across_elements_per_s).
  std::optional<double> across_elements_per_s = std::nullopt;
};

/// Rows and columns of a tile.
inline constexpr std::int64_t kProductTile = 64;

/// Elements that the call moves by an index, sorts, or takes one by one; 0 for an op of other
/// dimensions.
double walked_elements(const OpCall& call);

/// The part of the rates that is left for the call: 1 for one that neither works along an axis nor
/// is a product.
double access_part(const OpCall& call, const AccessUnit& unit);

/// The part of a product's arithmetic that is left besides; 1 for any other op.
double arithmetic_part(const OpCall& call, const AccessUnit& unit);

/// Seconds of the elements alone; 0 for a unit without their rate.
double elements_s(const OpCall& call, const AccessUnit& unit);

/// Seconds of the rows alone; 0 for a unit without their rate, or an op that has none.
double rows_s(const OpCall& call, const AccessUnit& unit);

/// Seconds of the steps along an axis that isn't the last, and of the further kernels' start.
double steps_s(const OpCall& call, const AccessUnit& unit);
double further_start_s(const OpCall& call, const AccessUnit& unit);

/// Elements that a call goes over whose operands lie across each other (OpCall::crosses).
double crossed_elements(const OpCall& call);

/// Seconds of the writes to one row, where they are spread evenly.
double queued_s(const OpCall& call, const AccessUnit& unit);

/// Bytes that go over a product's result, or long rows, again, and of places of elements.
double again_bytes(const OpCall& call, const AccessUnit& unit);

}  // namespace siliconprof
