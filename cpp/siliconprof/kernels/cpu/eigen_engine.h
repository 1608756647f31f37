#pragma once

// The engine "eigen": products by Eigen, built for this CPU's instruction set.

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

extern const Engine kEigenEngine;

}  // namespace siliconprof::cpu
