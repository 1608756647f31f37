#pragma once

// How far calls by themselves are off on a device whose kernels were measured. What was left of a
// calibration's own fit tells how well a few shapes repeat, not how far others are from them, nor
// other operations of a class. In a step many kernels err apart, and it errs less.

#include <array>

#include "siliconprof/devices/device.h"
#include "siliconprof/ops/op.h"

namespace siliconprof {

/// 90 % errors of a call alone, as parts: of max(measured / predicted, predicted / measured), less
/// 1. 0 where nobody says any.
struct AloneErrors {
  std::array<double, kOpClassCount> part{};
  /// Of calls that take less than `short_s`: what a core's own caches hold.
  std::array<double, kOpClassCount> short_part{};
  double short_s = 0.0;

  double of(OpClass op_class, double seconds) const;
};

/// "call.<scope>.<op class>.calibrated_error_part"; of short calls "calibrated_short_error_part",
/// or else the former, and "call.<scope>.short_s".
AloneErrors alone_errors(const Device& device, const Framework& framework);

}  // namespace siliconprof
