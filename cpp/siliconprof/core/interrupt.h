#pragma once

// How a long computation hears that it should stop: it calls a poll now and then, and the poll
// throws. The boundary to Python gives one that looks for Ctrl-C.

#include <functional>

namespace siliconprof {

using Poll = std::function<void()>;

/// Thrown by polls in tests; the boundary throws its own.
struct Interrupted {};

/// Longest stretch of work between two polls. Ctrl-C is to be answered within 0.2 s.
inline constexpr double kPollPeriod_s = 0.05;

}  // namespace siliconprof
