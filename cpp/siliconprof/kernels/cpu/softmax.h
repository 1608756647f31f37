#pragma once

// Kernels of softmax and softmax_backward for all CPU dtypes; the engines share them. Contiguous
// rows up to 65536 elements are read from memory once, longer ones a second time from cache. Same
// result for any thread count.

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_softmax(const KernelCall& call);
void run_softmax_backward(const KernelCall& call);

}  // namespace siliconprof::cpu
