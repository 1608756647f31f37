#pragma once

// The rows of ResidentSource, the same on every system.

#include <array>

#include "siliconprof/counters/counter.h"

namespace siliconprof {

inline constexpr std::array<CounterInfo, 2> kResidentCounters{{
    {"rss_bytes", "bytes", "process", "/proc/self/statm", "within a per-CPU batch of pages",
     CounterKind::Level},
    {"rss_growth_bytes", "bytes", "process", "/proc/self/statm", "within a per-CPU batch of pages",
     CounterKind::Delta},
}};

}  // namespace siliconprof
