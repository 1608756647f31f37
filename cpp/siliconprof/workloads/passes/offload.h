#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// ZeRO-Offload: a whole step whose optimizer phase runs on the host. Its states and a master copy
/// of each parameter live there; a gradient is sent over as soon as it is complete, a parameter
/// sent back as soon as it is updated: copies of phase transfer, which may overlap what follows.
/// The gradients' memory on the device is free after its transfer. The same values as without.
/// Source: J. Ren et al., "ZeRO-Offload: Democratizing Billion-Scale Model Training",
/// arXiv 2101.06840.
Trace offload(const Trace& trace);

}  // namespace siliconprof
