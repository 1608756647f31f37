#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Lets every call write over an input that nothing uses afterwards, where the op reads each
/// element before it writes it: less memory, the same values. The last pass of a step, because
/// others want tensors that are written once.
Trace in_place(const Trace& trace);

}  // namespace siliconprof
