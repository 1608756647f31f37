#pragma once

// Activation functions and their backward ops by definition; Acc and step as in matmul.h.

#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/kernels/reference/scalar_math.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

#include "siliconprof/kernels/element_functions.inc"

/// y = f(x).
template <class Acc, template <class> class Function, class X, class Y, class Step>
void activation(const OpCall& call, X&& x, Y&& y, const Step& step) {
  const Function<ScalarMath<Acc>> f(call.attributes.data());
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    store(y, i, f(static_cast<Acc>(x[i])));
    step(1);
  }
}

/// dx = dy·f'(x).
template <class Acc, template <class> class Function, class X, class Dy, class Dx, class Step>
void activation_backward(const OpCall& call, X&& x, Dy&& dy, Dx&& dx, const Step& step) {
  const Function<ScalarMath<Acc>> f(call.attributes.data());
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    store(dx, i, f(static_cast<Acc>(x[i]), static_cast<Acc>(dy[i])));
    step(1);
  }
}

}  // namespace siliconprof::reference
