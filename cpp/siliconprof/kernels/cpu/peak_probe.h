#pragma once

// The rate that no kernel of this CPU can exceed: multiply-adds without any memory.

#include <vector>

#include "siliconprof/core/clock.h"
#include "siliconprof/core/dtype.h"
#include "siliconprof/core/interrupt.h"

namespace siliconprof::cpu {

/// Samples of FLOP/s (a multiply-add is 2) of `threads` threads together, for about `seconds`;
/// float16 and bfloat16 only where the CPU has instructions for them. Throws DtypeError saying
/// which it has, ArgumentError unless threads and seconds are positive.
std::vector<double> measure_fma_peak(Dtype dtype, int threads, double seconds, Clock& clock,
                                     const Poll& poll = {});

}  // namespace siliconprof::cpu
