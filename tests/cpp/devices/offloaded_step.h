#pragma once

// A small step of each way to offload, for tests.

#include "siliconprof/workloads/training_step.h"

namespace siliconprof {

inline Trace offloaded_step(OffloadMode mode, std::int64_t seq = 8) {
  return training_step({.workload = "gpt2-small",
                        .sizes = {{"layers", 1}, {"batch", 1}, {"seq", seq}},
                        .offload = mode});
}

}  // namespace siliconprof
