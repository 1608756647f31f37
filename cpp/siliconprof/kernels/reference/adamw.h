#pragma once

// adamw by its definition; Acc and step as in matmul.h, formula as in ops/adamw.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/kernels/reference/optimizer_functions.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// p, m and v may be updated in place.
template <class Acc, class P, class G, class M, class V, class NewP, class NewM, class NewV,
          class Step>
void adamw(const OpCall& call, P&& p, G&& g, M&& m, V&& v, NewP&& new_p, NewM&& new_m, NewV&& new_v,
           const Step& step) {
  const AdamWStep<ScalarMath<Acc>> f(call.attributes.data());
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    const auto next = f(static_cast<Acc>(p[i]), static_cast<Acc>(g[i]), static_cast<Acc>(m[i]),
                        static_cast<Acc>(v[i]));
    store(new_p, i, next.parameter);
    store(new_m, i, next.m);
    store(new_v, i, next.v);
    step(1);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 1> kAdamWDefinitions{{
    {"adamw",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       adamw<Acc>(c, o.in(0), o.in(1), o.template in_as<Acc>(2), o.template in_as<Acc>(3), o.out(0),
                  o.template out_as<Acc>(1), o.template out_as<Acc>(2), o.step);
     }},
}};

}  // namespace siliconprof::reference
