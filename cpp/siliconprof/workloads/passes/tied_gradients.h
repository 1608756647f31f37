#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// A table that is both embedded and multiplied by has a gradient of two terms, each as large as
/// itself. The embedding's is zero but for the rows of its tokens: where they are few, those rows
/// alone are kept and added into the other term, which is made only then if what it is made of is
/// smaller. The two never live together; the sum is the same to the last bit.
Trace tied_gradients(const Trace& trace);

}  // namespace siliconprof
