#pragma once

// Activation functions and their backward ops by definition; Acc and step as in matmul.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
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

template <class O, template <class> class Function>
void define_activation(const OpCall& c, O& o) {
  activation<typename O::Acc, Function>(c, o.in(0), o.out(0), o.step);
}
template <class O, template <class> class Function>
void define_activation_backward(const OpCall& c, O& o) {
  activation_backward<typename O::Acc, Function>(c, o.in(0), o.in(1), o.out(0), o.step);
}

template <class O>
inline constexpr std::array<Definition<O>, 16> kActivationDefinitions{{
    {"relu", define_activation<O, Relu>},
    {"relu_backward", define_activation_backward<O, Relu>},
    {"leaky_relu", define_activation<O, LeakyRelu>},
    {"leaky_relu_backward", define_activation_backward<O, LeakyRelu>},
    {"selu", define_activation<O, Selu>},
    {"selu_backward", define_activation_backward<O, Selu>},
    {"sigmoid", define_activation<O, Sigmoid>},
    {"sigmoid_backward", define_activation_backward<O, Sigmoid>},
    {"softplus", define_activation<O, Softplus>},
    {"softplus_backward", define_activation_backward<O, Softplus>},
    {"gelu_erf", define_activation<O, GeluErf>},
    {"gelu_erf_backward", define_activation_backward<O, GeluErf>},
    {"gelu_tanh", define_activation<O, GeluTanh>},
    {"gelu_tanh_backward", define_activation_backward<O, GeluTanh>},
    {"silu", define_activation<O, Silu>},
    {"silu_backward", define_activation_backward<O, Silu>},
}};

}  // namespace siliconprof::reference
