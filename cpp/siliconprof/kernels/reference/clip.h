#pragma once

// square_sum and clip by their definitions; Acc and step as in matmul.h, formulas as in ops/clip.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/kernels/reference/scalar_math.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

template <class Acc, class X, class Total, class NewTotal, class Step>
void square_sum(const OpCall& call, X&& x, Total&& total, NewTotal&& new_total, const Step& step) {
  Acc sum = static_cast<Acc>(total[0]);
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    const Acc value = static_cast<Acc>(x[i]);
    sum = sum + value * value;
    step(1);
  }
  store(new_total, 0, sum);
}

template <class Acc, class G, class Total, class NewG, class Step>
void clip(const OpCall& call, G&& g, Total&& total, NewG&& new_g, const Step& step) {
  const Acc norm = ScalarMath<Acc>::sqrt(static_cast<Acc>(total[0])) + Acc(1e-6);
  const Acc ratio = Acc(call.attributes[0]) / norm;
  const Acc factor = ratio > Acc(1) ? Acc(1) : ratio;
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    store(new_g, i, factor * static_cast<Acc>(g[i]));
    step(1);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 2> kClipDefinitions{{
    {"square_sum",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       square_sum<Acc>(c, o.in(0), o.template in_as<Acc>(1), o.template out_as<Acc>(0), o.step);
     }},
    {"clip",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       clip<Acc>(c, o.in(0), o.template in_as<Acc>(1), o.out(0), o.step);
     }},
}};

}  // namespace siliconprof::reference
