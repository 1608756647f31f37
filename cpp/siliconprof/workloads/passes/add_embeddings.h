#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Adds an embedding's gradient to another gradient of its table row by row, as where a head shares
/// the table or micro-batches add up: no table of zeros is made and added. The values are the same
/// but for the order of sums.
Trace add_embeddings(const Trace& trace);

}  // namespace siliconprof
