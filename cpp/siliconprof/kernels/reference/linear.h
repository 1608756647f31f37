#pragma once

// A linear layer by its definition; Acc and step as in matmul.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// Shapes as in ops/linear.h.
template <class Acc, class X, class W, class B, class Y, class Step>
void linear(const OpCall& call, X&& x, W&& weight, B&& bias, Y&& y, const Step& step) {
  const auto [rows, in, out] = first<3>(call.dims);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t o = 0; o < out; ++o) {
      Acc sum(0);
      for (std::int64_t i = 0; i < in; ++i) {
        sum = sum + static_cast<Acc>(x[r * in + i]) * static_cast<Acc>(weight[o * in + i]);
      }
      store(y, r * out + o, sum + static_cast<Acc>(bias[o]));
      step(in + 1);
    }
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 1> kLinearDefinitions{{
    {"linear",
     [](const OpCall& c, O& o) {
       linear<typename O::Acc>(c, o.in(0), o.in(1), o.in(2), o.out(0), o.step);
     }},
}};

}  // namespace siliconprof::reference
