#pragma once

// Where the host of a training step waits for the device before it issues more.

#include <cstdint>
#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Calls before which it waits, in order: the optimizer's first after gradients were looked at for
/// overflow; with `eager`, also the first of a decoder, whose tokens eager programs look at
/// (padding, packed sequences) when the encoder is issued.
std::vector<std::int32_t> host_waits(const Trace& trace, bool eager);

}  // namespace siliconprof
