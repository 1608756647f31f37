#pragma once

// Convolutions of bfloat16 data, and their gradients, as products of halves (half_product.h):
// windows are copied as they are packed. Sums are formed in float32 and rounded once, the same for
// any thread count.

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/half_product.h"

namespace siliconprof::cpu {

/// True where half_machine() beats float32. Measured on an AMD EPYC of family 25 and an Intel Xeon
/// with AMX: 0.3 to 1.0 of the time on 2 and 16 threads, but of fewer than 32 channels or outputs;
/// in float16, which AMX's tiles multiply in four parts, most take longer, too.
bool halves_suit_convolution(const OpCall& call);

/// A convolution or one of its gradients, by the call's op, in bfloat16. False, with results in any
/// state, where zeros beside the data would make NaN of what is none, as they do of infinite
/// weights: float32 has to do it.
bool convolve_halves(const KernelCall& k, const HalfMachine& machine);

/// What that takes.
HalfScratch convolution_half_scratch(const OpCall& call, const HalfMachine& machine, int threads);

}  // namespace siliconprof::cpu
