#pragma once

// A linear layer: y = x·weightᵀ + bias; x (rows, in), weight (out, in), bias (out) → y (rows, out).
// Errors: what any op refuses (op.h).
// Source: PyTorch's Linear [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kLinear;

}  // namespace siliconprof
