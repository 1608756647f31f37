#pragma once

// The gate of a LLaMA's MLP: y = silu(gate)·up, silu(x) = x/(1 + exp(-x)); length n each.
//   silu_gate           gate, up → y
//   silu_gate_backward  gate, up, dy → dgate, dup
// Errors: what any op refuses (op.h).
// Source: [shazeer2020], its SwiGLU.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kSiluGate;
extern const Op kSiluGateBackward;

}  // namespace siliconprof
