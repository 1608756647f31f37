#pragma once

// What kernels take that a framework has constants of their own for.

#include <optional>

#include "siliconprof/devices/model_backend.h"

namespace siliconprof {

/// Time of the constants that the framework has for the op's own kernel; none: the roofline's.
std::optional<KernelTime> own_kernel(const OpCall& call, const Cost& cost, const Rates& rates);

/// Whether what own_kernel() says of the call is the least that it takes, by constants of another
/// format: the roofline may say more.
bool is_least(const OpCall& call, const Rates& rates);

/// Whether a product or convolution in TF32 takes what is known of it: its own tiles were timed
/// where TF32 was allowed (forward: gradients are assumed alike), or float32's kernel is known by
/// more than a rate, so that both are as they were measured.
bool is_as_measured(const OpCall& call, const Rates& rates);

}  // namespace siliconprof
