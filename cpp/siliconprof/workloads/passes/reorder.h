#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// The same calls in an order that keeps less memory alive, with the same results to the last bit.
/// A parameter is updated as soon as nothing else needs it or its gradient, so that gradients never
/// all live together; what is added to a gradient later is made only then, where what it is made of
/// is smaller. Updates that join one launch stay where they are. For a trace that writes no
/// activation twice and whose updates depend on their operands alone: not under loss scaling.
Trace reorder(const Trace& trace);

}  // namespace siliconprof
