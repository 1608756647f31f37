#pragma once

// How a probe turns repetitions of a loop into samples of a rate.

#include <cstdint>
#include <functional>
#include <vector>

#include "siliconprof/core/clock.h"
#include "siliconprof/core/interrupt.h"

namespace siliconprof::cpu {

/// A sample lasts at least this long: thousands of times what reading the clock takes.
inline constexpr double kShortestSample_s = 0.004;

using RepeatedRun = std::function<void(std::int64_t repeats)>;

/// As many repeats as make `run` last kShortestSample_s; the runs that find out also warm up. Give
/// it the loop on one thread: with several, waiting for a busy core could pass for work.
std::int64_t enough_repeats(const RepeatedRun& run, Clock& clock);

/// Runs `run(repeats)` until `seconds` have passed, at least 3 times. Returns
/// work_per_repeat·repeats/elapsed of each. A sample during which the clock stood still is dropped.
/// Polls after each. Throws ArgumentError unless seconds is positive and finite.
std::vector<double> sample_rates(const RepeatedRun& run, std::int64_t repeats,
                                 double work_per_repeat, double seconds, Clock& clock,
                                 const Poll& poll = {});

}  // namespace siliconprof::cpu
