#pragma once

#include <cstdint>
#include <string_view>

#include "siliconprof/core/interrupt.h"
#include "siliconprof/core/tensor.h"
#include "siliconprof/ops/tensor_info.h"

namespace siliconprof::cpu {

/// The seed of a tensor's pseudo-random numbers.
std::uint64_t name_seed(std::string_view name);

/// Writes what `info.initial` says, which must be set: pseudo-random numbers that depend on the
/// tensor's name and the element's index alone. Polls now and then.
void fill_initial(const TensorView& tensor, const TensorInfo& info, int threads, const Poll& poll);

}  // namespace siliconprof::cpu
