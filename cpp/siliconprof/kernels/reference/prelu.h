#pragma once

// prelu and its backward ops by definition; Acc and step as in matmul.h, shapes as in ops/prelu.h.

#include <array>

#include "siliconprof/kernels/reference/activations.h"
#include "siliconprof/kernels/reference/definition.h"

namespace siliconprof::reference {

/// y = x where x > 0, else w·x.
template <class Acc, class X, class W, class Y, class Step>
void prelu(const OpCall& call, X&& x, W&& w, Y&& y, const Step& step) {
  const LeakyRelu<ScalarMath<Acc>> f(static_cast<Acc>(w[0]));
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    store(y, i, f(static_cast<Acc>(x[i])));
    step(1);
  }
}

/// dx = dy where x > 0, else w·dy.
template <class Acc, class X, class W, class Dy, class Dx, class Step>
void prelu_backward(const OpCall& call, X&& x, W&& w, Dy&& dy, Dx&& dx, const Step& step) {
  const LeakyRelu<ScalarMath<Acc>> f(static_cast<Acc>(w[0]));
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    store(dx, i, f(static_cast<Acc>(x[i]), static_cast<Acc>(dy[i])));
    step(1);
  }
}

/// dw = Σ x·dy where x ≤ 0.
template <class Acc, class X, class Dy, class Dw, class Step>
void prelu_weight_backward(const OpCall& call, X&& x, Dy&& dy, Dw&& dw, const Step& step) {
  const PreluWeight<ScalarMath<Acc>> f;
  Acc sum(0);
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    sum = sum + f(static_cast<Acc>(x[i]), static_cast<Acc>(dy[i]));
    step(1);
  }
  store(dw, 0, sum);
}

template <class O>
inline constexpr std::array<Definition<O>, 3> kPreluDefinitions{{
    {"prelu",
     [](const OpCall& c, O& o) { prelu<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step); }},
    {"prelu_backward",
     [](const OpCall& c, O& o) {
       prelu_backward<typename O::Acc>(c, o.in(0), o.in(1), o.in(2), o.out(0), o.step);
     }},
    {"prelu_weight_backward",
     [](const OpCall& c, O& o) {
       prelu_weight_backward<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step);
     }},
}};

}  // namespace siliconprof::reference
