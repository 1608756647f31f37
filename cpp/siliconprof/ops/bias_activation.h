#pragma once

// An activation function after a bias, in one pass: y = f(x + b); x, y (rows, n), b (n). The
// functions are those of activations.h.
// Errors: what any op refuses (op.h).
// Source: that of the functions in activations.h; one pass, as compilers fuse them.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kBiasRelu;
extern const Op kBiasGeluErf;
extern const Op kBiasGeluTanh;
/// x, b, dy → dx = dy·f'(x + b); db is the sum of dx over the rows.
extern const Op kBiasReluBackward;
extern const Op kBiasGeluErfBackward;
extern const Op kBiasGeluTanhBackward;

}  // namespace siliconprof
