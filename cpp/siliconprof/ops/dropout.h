#pragma once

// Dropout: y[i] = x[i]/(1 - rate) where the element is kept, else 0 (also for a NaN). Which ones
// are kept follows from (seed, i) alone, by the generator of kernels/dropout_bits.inc: a call
// with the same seed drops the same elements, which is how the gradient finds them. Any number is
// a seed; the rate takes effect in steps of 2^-23.
// Errors: what any op refuses (op.h), a rate outside [0, 1] (ArgumentError).
// Source: [srivastava2014]; an element's number in place of a generator's state, as [salmon2011].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kDropout;

}  // namespace siliconprof
