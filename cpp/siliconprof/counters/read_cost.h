#pragma once

// What looking costs.

#include <optional>
#include <string_view>

#include "siliconprof/core/clock.h"

namespace siliconprof {

/// Median nanoseconds of one read of the counter's source, over batches of `repetitions` reads;
/// none when it is unavailable. Throws UnknownNameError, ArgumentError for repetitions
/// outside 1 to 100,000.
std::optional<double> counter_read_cost_ns(std::string_view counter, int repetitions, Clock& clock);

}  // namespace siliconprof
