#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// `copies` of a trace one after the other, each on tensors of its own, each call run `repeats`
/// times in a row: the first run of a call finds its operands as far away as the other copies push
/// them, the others find them near. With `update`, outputs that may take an input's memory do.
/// Throws ArgumentError for fewer than one copy or repeat.
Trace replicate(const Trace& trace, int copies, int repeats, bool update);

}  // namespace siliconprof
