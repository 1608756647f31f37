#pragma once

// y = f(x) for the activation functions, and dx = dy·f'(x), their backward ops; vectors of length
// n. One file for all: the rows differ in nothing but name, parameters and flops. The functions
// themselves are in kernels/element_functions.inc; kinks and defaults are those of PyTorch:
//   relu        max(x, 0)
//   leaky_relu  x, or slope·x where x ≤ 0
//   selu        1.0507·x, or 1.0507·1.6733·(exp(x) - 1) where x ≤ 0 [klambauer2017]
//   sigmoid     1/(1 + exp(-x))
//   softplus    log(1 + exp(beta·x))/beta, or x where beta·x > threshold
//   gelu_erf    x/2·(1 + erf(x/√2)) [hendrycks2016]
//   gelu_tanh   x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))
//   silu        x/(1 + exp(-x))
// Errors: what any op refuses (op.h), a beta of 0 (ArgumentError).
// Source: PyTorch's functions of these names [torch-ops].

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kRelu;
extern const Op kReluBackward;
extern const Op kLeakyRelu;
extern const Op kLeakyReluBackward;
extern const Op kSelu;
extern const Op kSeluBackward;
extern const Op kSigmoid;
extern const Op kSigmoidBackward;
extern const Op kSoftplus;
extern const Op kSoftplusBackward;
extern const Op kGeluErf;
extern const Op kGeluErfBackward;
extern const Op kGeluTanh;
extern const Op kGeluTanhBackward;
extern const Op kSilu;
extern const Op kSiluBackward;

}  // namespace siliconprof
