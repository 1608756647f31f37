#pragma once

// Pseudo-random values for memory that a Tensor owns or that lies within one.

#include <cstdint>

#include "siliconprof/core/tensor.h"

namespace siliconprof {

/// Values uniform in [-1, 1), the same for the same seed on every machine. Polls now and then.
/// Throws DtypeError for int32.
void fill_uniform(const TensorView& view, std::uint64_t seed, const Poll& poll = {});

/// The largest number of a format below 1, which fill_uniform rounds numbers close to 1 down to; of
/// float64 that of float32. Throws DtypeError for int32.
float largest_below_one(Dtype dtype);

/// int32 values uniform in [0, limit), alike.
void fill_indices(const TensorView& view, std::int64_t limit, std::uint64_t seed);

}  // namespace siliconprof
