#pragma once

// What a framework can't do at its version.

#include "siliconprof/devices/device.h"
#include "siliconprof/devices/step_summary.h"

namespace siliconprof {

/// Throws DtypeError with the framework's reason where the step needs something of
/// Framework::lacks: a format, or autocast to one ("amp-fp16", "amp-bf16"), which is a cast among
/// other calls, or "offload", which is a transfer among them.
void check_lacking(const Framework& framework, const Trace& trace);
void check_lacking(const Framework& framework, const StepSummary& step);

}  // namespace siliconprof
