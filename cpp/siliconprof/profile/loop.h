#pragma once

// The one loop: run or predict a trace on a backend.

#include <span>

#include "siliconprof/profile/backend.h"

namespace siliconprof {

/// Steps through the trace as often as `sampling` asks and gathers a profile: a step span, a span
/// per phase that occurs (in order of first occurrence), a span per call. A predicting backend is
/// asked once. Counters are read around every step, the step's clock inside them.
/// Throws ArgumentError for an empty trace, and what the backend throws; Ctrl-C comes through the
/// backend's poll.
Profile profile(const Trace& trace, Backend& backend, std::span<const std::string_view> counters,
                const Sampling& sampling);

}  // namespace siliconprof
