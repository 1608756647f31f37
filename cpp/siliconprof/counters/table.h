#pragma once

// The index of counter sources.

#include <memory>
#include <span>
#include <vector>

#include "siliconprof/counters/counter.h"

namespace siliconprof {

/// The sources of this machine, opened once per process. Reading one is safe from any thread.
std::span<CounterSource* const> counter_sources();

/// Names of all counters, available or not, in table order.
std::span<const std::string_view> counter_names();

}  // namespace siliconprof
