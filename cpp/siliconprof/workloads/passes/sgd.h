#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// The settings of PyTorch's SGD.
struct SgdOptions {
  double learning_rate = 0.1;
  double momentum = 0.9;
  double weight_decay = 0.0;
  bool nesterov = false;
  bool fused = false;  // one launch for all parameters, not one for each
};

/// Appends the update of every parameter that has a gradient, in the optimizer phase, with the
/// state
/// "<parameter>.velocity" that starts at 0. Gradients are no results any more.
Trace sgd(const Trace& trace, const SgdOptions& options = {});

}  // namespace siliconprof
