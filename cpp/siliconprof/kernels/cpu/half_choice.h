#pragma once

// Which products of halves go by half_product.h, and by what on this CPU.

#include <string>

#include "siliconprof/kernels/cpu/half_product.h"

namespace siliconprof::cpu {

/// The one that multiplies bfloat16 faster than float32, or null: AMX's tiles, and dot products
/// (VDPBF16PS) on any AMD. Peaks of one thread: an Intel Xeon of family 6, model 207, has 2920
/// GFLOP/s by tiles, 185 in float32 and 91 by dot products; an AMD EPYC of family 25 (Zen 4) has
/// 235 by dot products and 117 in float32, one of family 26 (Zen 5) 500 and 270.
const HalfMachine* half_machine();

/// True where that machine beats conversion to float32.
bool half_tiles_suit(const HalfProduct& product);

/// How an engine's products of a 16-bit dtype are made (engine.h).
std::string half_product_path(Dtype dtype);

}  // namespace siliconprof::cpu
