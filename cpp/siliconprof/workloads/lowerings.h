#pragma once

#include <span>
#include <string_view>

#include "siliconprof/workloads/passes/lower.h"

namespace siliconprof {

/// What a framework makes of a model, by the framework's id: its defaults at the end of 2024, on
/// float32 models as its users write them. Throws UnknownNameError.
const Lowering& find_lowering(std::string_view framework);
std::span<const std::string_view> lowering_names();

}  // namespace siliconprof
