#pragma once

// Kernels of normalise and normalise_backward for all CPU dtypes; the engines share them. Rows are
// read from memory once, from cache again; one thread works on a row. The same result for any
// thread count.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

void run_normalise(const KernelCall& call);
void run_normalise_backward(const KernelCall& call);

inline constexpr std::array<Kernel, 2> kNormaliseKernels{
    {{"normalise", run_normalise}, {"normalise_backward", run_normalise_backward}}};

}  // namespace siliconprof::cpu
