#pragma once

// A bias, alone and under an activation function, by definition; Acc and step as in matmul.h,
// shapes as in ops/bias.h and ops/bias_activation.h.

#include <array>

#include "siliconprof/kernels/reference/activations.h"
#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

template <class Acc>
struct SameValue {
  explicit SameValue(const double*) {}
  Acc operator()(const Acc& x) const { return x; }
};

/// y = f(x + b).
template <class Acc, class F, class X, class B, class Y, class Step>
void bias(const OpCall& call, X&& x, B&& b, Y&& y, const Step& step) {
  const auto [rows, n] = first<2>(call.dims);
  const F f(call.attributes.data());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < n; ++i) {
      store(y, row * n + i, f(static_cast<Acc>(x[row * n + i]) + static_cast<Acc>(b[i])));
    }
    step(n);
  }
}

/// dx = dy·f'(x + b).
template <class Acc, class F, class X, class B, class Dy, class Dx, class Step>
void bias_backward(const OpCall& call, X&& x, B&& b, Dy&& dy, Dx&& dx, const Step& step) {
  const auto [rows, n] = first<2>(call.dims);
  const F f(call.attributes.data());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < n; ++i) {
      store(dx, row * n + i,
            f(static_cast<Acc>(x[row * n + i]) + static_cast<Acc>(b[i]),
              static_cast<Acc>(dy[row * n + i])));
    }
    step(n);
  }
}

template <class O, template <class> class Function>
void define_bias(const OpCall& c, O& o) {
  using Acc = typename O::Acc;
  bias<Acc, Function<ScalarMath<Acc>>>(c, o.in(0), o.in(1), o.out(0), o.step);
}
template <class O, template <class> class Function>
void define_bias_backward(const OpCall& c, O& o) {
  using Acc = typename O::Acc;
  bias_backward<Acc, Function<ScalarMath<Acc>>>(c, o.in(0), o.in(1), o.in(2), o.out(0), o.step);
}

template <class O>
inline constexpr std::array<Definition<O>, 7> kBiasDefinitions{{
    {"bias",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       bias<Acc, SameValue<Acc>>(c, o.in(0), o.in(1), o.out(0), o.step);
     }},
    {"bias_relu", define_bias<O, Relu>},
    {"bias_relu_backward", define_bias_backward<O, Relu>},
    {"bias_gelu_erf", define_bias<O, GeluErf>},
    {"bias_gelu_erf_backward", define_bias_backward<O, GeluErf>},
    {"bias_gelu_tanh", define_bias<O, GeluTanh>},
    {"bias_gelu_tanh_backward", define_bias_backward<O, GeluTanh>},
}};

}  // namespace siliconprof::reference
