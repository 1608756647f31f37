#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Lets the gradient of relu read relu's output in place of its input, where the backward pass
/// keeps the output anyway, as a convolution's does: x > 0 exactly where max(x, 0) > 0, so the
/// values are the same, and the input's memory is free. For a trace that updates no activation.
Trace keep_outputs(const Trace& trace);

}  // namespace siliconprof
