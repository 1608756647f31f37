#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// The float32 products, convolutions and attentions of a whole step in tf32, as with
/// torch.backends.cuda.matmul.allow_tf32; tensors stay float32 in memory.
Trace tf32(const Trace& trace);

}  // namespace siliconprof
