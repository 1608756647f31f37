#pragma once

// How far predicted peaks of memory are off. Most of it is in proportion to the peak. Which way a
// library takes for a convolution, and so how large a workspace, is its own choice for each size:
// it may be off by tens of megabytes, which is nothing of a large step and much of a small one.

#include <optional>

#include "siliconprof/core/quantile.h"
#include "siliconprof/devices/device.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// 90 % error of a step's peak.
struct MemoryError {
  double part = 0.0;             // of the peak
  double workspace_bytes = 0.0;  // and no less than so many in a step that convolves

  /// From 0 bytes on.
  Interval around(double peak_bytes, bool convolves) const;

  bool operator==(const MemoryError&) const = default;
};

/// Whether such a library chooses a way for one of the calls.
bool convolves(const Trace& trace);

/// "interval.<scope>.memory_part" and "workspace_bytes", which may be left out; none without the
/// first.
std::optional<MemoryError> memory_error(const Device& device, const Framework& framework);

}  // namespace siliconprof
