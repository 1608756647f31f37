#pragma once

// The rate at which this CPU moves memory, in the patterns of McCalpin's STREAM, plain reading,
// plain writing, and an array that is read and written where it lies.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "siliconprof/core/clock.h"
#include "siliconprof/core/interrupt.h"

namespace siliconprof::cpu {

enum class BandwidthPattern : std::uint8_t { Read, Write, Copy, Scale, Add, Triad, Update };

/// "read", "write", "copy", "scale", "add", "triad", "update".
std::span<const std::string_view> bandwidth_pattern_names();
/// Throws UnknownNameError.
BandwidthPattern parse_bandwidth_pattern(std::string_view text);

/// Arrays that one pass reads or writes: 1, 1, 2, 2, 3, 3, 2. What a write makes the cache fetch
/// first does not count.
int arrays_moved(BandwidthPattern pattern);

/// Samples of bytes/s for about `seconds`, on float64 arrays of `bytes` each that were written
/// before. Throws ArgumentError unless threads and seconds are positive and bytes at least 8.
std::vector<double> measure_bandwidth(BandwidthPattern pattern, int threads, std::int64_t bytes,
                                      double seconds, Clock& clock, const Poll& poll = {});

}  // namespace siliconprof::cpu
