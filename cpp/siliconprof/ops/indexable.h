#pragma once

// What int32 indices ask of sizes.

#include "siliconprof/ops/op.h"

namespace siliconprof {

/// Throws ShapeError, naming the dim, unless `count` indices can point into it: it is at most
/// 2^31 - 1, and at least 1 where there are any.
void check_indexable(const OpCall& call, std::size_t dim, std::int64_t count);

}  // namespace siliconprof
