#pragma once

// Loss scaling as torch.amp.GradScaler does it: the loss's own gradient is the scale, gradients are
// divided by it before they are used, and the scale follows what overflows. The step of an
// optimizer that found an overflow is for the runner to leave out: a trace has no branches.

#include "siliconprof/ops/trace.h"

namespace siliconprof {

inline constexpr double kFirstLossScale = 65536.0;

/// A forward trace with the states "loss_scale", "growth_tracker" (both length 1) and "found_inf".
/// The first is the cotangent to differentiate with.
Trace with_loss_scale(const Trace& forward);

/// Appends the division of every gradient by the scale, in place, in the optimizer phase; with
/// `fused` all join the launch of the first.
Trace unscale(const Trace& trace, bool fused = false);

/// Appends the update of the scale: once, after the optimizer.
Trace update_loss_scale(const Trace& trace);

/// The tensor of that name that owns its memory. Throws ArgumentError.
TensorId find_tensor(const Trace& trace, std::string_view name);

}  // namespace siliconprof
