#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// A differentiated trace run on `micro_batches` batches in turn, each with inputs of its own
/// ("tokens", "tokens.1", ...): gradients are summed as they are made, the loss is the mean. Their
/// mean comes of differentiating with the factor 1/micro_batches. Throws ArgumentError for fewer
/// than 1.
Trace accumulate(const Trace& trace, int micro_batches);

}  // namespace siliconprof
