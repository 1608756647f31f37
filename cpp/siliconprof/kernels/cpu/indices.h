#pragma once

// The check that every kernel makes before it follows indices.

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

/// Throws ArgumentError, naming the place, for an index in an int32 input that lies outside of what
/// the op's signature allows there. Nothing is written before.
void check_indices(const KernelCall& call);

}  // namespace siliconprof::cpu
