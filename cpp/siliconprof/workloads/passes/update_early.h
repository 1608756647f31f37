#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// The same calls in another order, with the same results to the last bit: a parameter is updated
/// as soon as nothing else needs it or its gradient, so that gradients never all live together.
/// Updates that join one launch stay where they are. For updates that depend on their operands
/// alone: not under loss scaling, where an overflow of any gradient keeps all of them from running.
Trace update_early(const Trace& trace);

}  // namespace siliconprof
