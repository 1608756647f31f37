#pragma once

#include <cstdint>
#include <string_view>

#include "siliconprof/core/interrupt.h"
#include "siliconprof/core/tensor.h"
#include "siliconprof/ops/tensor_info.h"

namespace siliconprof::cpu {

/// The seed of a tensor's pseudo-random numbers.
std::uint64_t name_seed(std::string_view name);

/// Writes what `info.initial` says, else numbers uniform in [-1, 1) or indices below the tensor's
/// limit: pseudo-random ones that depend on the tensor's name and the element's index alone, so
/// that a trace and what a pass makes of it start alike. Polls now and then.
void fill_initial(const TensorView& tensor, const TensorInfo& info, int threads, const Poll& poll);

}  // namespace siliconprof::cpu
