#pragma once

// The engine "openblas": products by a private OpenBLAS with the kernels that suit this CPU.

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

extern const Engine kOpenBlasEngine;

}  // namespace siliconprof::cpu
