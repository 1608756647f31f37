#pragma once

// What a framework keeps of dropout for its gradient. (This library draws the same numbers again.)

#include <vector>

#include "siliconprof/devices/requests.h"

namespace siliconprof {

/// From each forward call to the gradient that it is for; where checkpointing computes a call
/// again, from there. `of_bytes`: a byte for each element, as PyTorch's fused kernel keeps on CUDA
/// [torch-dropout]; else an element of what is dropped, as its others do, and MLX [mlx-dropout].
std::vector<Request> dropout_masks(const Trace& trace, bool of_bytes);

}  // namespace siliconprof
