#pragma once

// The engine "reference": every op by its definition, on one thread. Slow, and right.

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

extern const Engine kReferenceEngine;

}  // namespace siliconprof::cpu
