#pragma once

#include "siliconprof/ops/op.h"

namespace siliconprof {

/// Bytes that a convolution by cuDNN 9 takes on Hopper besides its operands: copies with channels
/// last and split sums of weights for the tensor cores, transforms in float32. [torch-memory]
std::int64_t convolution_workspace_bytes(const OpCall& call);

}  // namespace siliconprof
