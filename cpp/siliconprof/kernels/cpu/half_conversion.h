#pragma once

// Whole arrays between the 16-bit formats and float32, on several threads. Rounding is to nearest
// even; NaN stays NaN, infinities and subnormals are kept.

#include <cstdint>

#include "siliconprof/core/dtype.h"

namespace siliconprof::cpu {

/// out[i] = in[i]; `in` holds n elements of `dtype`. Throws DtypeError unless dtype has 16 bits.
void widen(Dtype dtype, const void* in, float* out, std::int64_t n, int threads);

/// out[i] = in[i] rounded; `out` holds n elements of `dtype`. Throws as widen.
void narrow(Dtype dtype, const float* in, void* out, std::int64_t n, int threads);

}  // namespace siliconprof::cpu
