#pragma once

// What kept a measurement from being that of a machine at rest.

#include <span>
#include <string>
#include <vector>

#include "siliconprof/counters/window.h"

namespace siliconprof {

/// Notes for a reader; empty for a machine at rest. `per_step`: counters of a step; an involuntary
/// context switch in each, or some where the median step takes half as long again as the quickest,
/// means that somebody else used the processors meanwhile: a thread that waits for its turn holds
/// up the others. `samples_s`: the steps in order; where the later half's median differs by more
/// than a twentieth, and their 95 % intervals don't meet, the machine changed.
std::vector<std::string> disturbance_notes(std::span<const CounterReading> per_step,
                                           std::span<const double> samples_s);

}  // namespace siliconprof
