#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// The settings of PyTorch's AdamW; `step` counts from 1.
struct AdamwOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;
  double step = 1;
  bool fused = false;  // one launch for all parameters, not one for each
};

/// Appends the update of every parameter that has a gradient, in the optimizer phase, with two
/// moments "<parameter>.m" and "<parameter>.v" as states that start at 0. Gradients are no results
/// any more.
Trace adamw(const Trace& trace, const AdamwOptions& options = {});

}  // namespace siliconprof
