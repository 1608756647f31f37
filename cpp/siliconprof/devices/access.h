#pragma once

// How the order in which a kernel walks its data slows it down beyond its bytes: rows shorter than
// a group of threads leave lanes idle, an axis whose neighbours lie apart wastes what it loads, a
// product of fewer tiles than cores leaves cores idle, kernels that look each element's place up,
// or sort, pay for arithmetic on indices by the element, and what a framework doesn't fuse goes
// over the result again.

#include <cstdint>
#include <optional>

#include "siliconprof/ops/op.h"

namespace siliconprof {

/// Rows of fewer elements are short: threads of one group of a GPU's reduction.
inline constexpr std::int64_t kShortRow = 256;

struct AccessUnit {
  /// Elements that all cores together look up or sort in a second; none: bytes alone count.
  std::optional<double> elements_per_s = std::nullopt;
  /// Part of the rates that is left along short rows, and along an axis that isn't the last.
  double short_part = 1.0;
  double strided_part = 1.0;
  /// Part that is left at least where a product's result has fewer tiles than the device has cores;
  /// more where the tiles alone keep more of them busy.
  double few_tiles_part = 1.0;
  std::int64_t cores = 0;
  /// Times that a product's result is read or written again: twice for a bias added apart.
  double result_passes = 0.0;
};

/// Rows and columns of a tile.
inline constexpr std::int64_t kProductTile = 64;

/// Elements that the call moves by an index, or sorts; 0 for an op of other dimensions.
double walked_elements(const OpCall& call);

/// The part of the rates that is left for the call: 1 for one that neither works along an axis nor
/// is a product.
double access_part(const OpCall& call, const AccessUnit& unit);

/// Seconds of the elements alone; 0 for a unit without their rate.
double elements_s(const OpCall& call, const AccessUnit& unit);

/// Bytes that go over a product's result again.
double again_bytes(const OpCall& call, const AccessUnit& unit);

}  // namespace siliconprof
