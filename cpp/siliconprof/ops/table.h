#pragma once

// The index of operations.

#include <span>
#include <string_view>

#include "siliconprof/ops/op.h"

namespace siliconprof {

std::span<const Op* const> all_ops();
std::span<const std::string_view> op_names();

/// Throws UnknownNameError with the nearest name.
const Op& find_op(std::string_view name);

}  // namespace siliconprof
