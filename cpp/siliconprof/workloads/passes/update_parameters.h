#pragma once

// What all optimizers share: one call for each parameter that updates it and its states in place.

#include <string_view>
#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Appends `op` (n) on parameter, gradient and one new state "<parameter>.<state>" for each of
/// `states`, in the optimizer phase; with `fused` all join the launch of the first. The results
/// keep what is no gradient.
Trace update_parameters(const Trace& trace, std::string_view op, std::vector<double> attributes,
                        const std::vector<std::string>& states, bool fused);

}  // namespace siliconprof
