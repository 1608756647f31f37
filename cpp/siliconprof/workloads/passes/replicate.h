#pragma once

#include <cstdint>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// `copies` of a trace one after the other, each on tensors of its own, each call run `repeats`
/// times in a row: the first run of a call finds its operands as far away as the other copies push
/// them, the others find them near. With `update`, outputs that may take an input's memory do.
/// After each copy follows a sum over `bytes_between` of memory that no copy touches, none for 0:
/// few copies find their operands far away, too, then. Throws ArgumentError for fewer than one copy
/// or repeat, or fewer than no bytes.
Trace replicate(const Trace& trace, int copies, int repeats, bool update,
                std::int64_t bytes_between = 0);

}  // namespace siliconprof
