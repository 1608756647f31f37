#pragma once

// Kernels of adamw and sgd for all CPU dtypes; the engines share them. One pass, every element by
// itself: the same result for any thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/training_kernels.h"

namespace siliconprof::cpu {

void run_adamw(const KernelCall& call);
void run_sgd(const KernelCall& call);

/// What decides how an update writes.
struct UpdateFacts {
  bool in_place;
  bool exceeds_cache;
  bool others_read_it;  // KernelCall::others_read_update
  bool on_amd;
};
Stores stores_for(const UpdateFacts& update);

inline constexpr std::array<Kernel, 2> kOptimizerKernels{{{"adamw", run_adamw}, {"sgd", run_sgd}}};

}  // namespace siliconprof::cpu
