#pragma once

// sgd by its definition; Acc and step as in matmul.h, formula as in ops/sgd.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/kernels/reference/optimizer_functions.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// p and v may be updated in place.
template <class Acc, class P, class G, class V, class NewP, class NewV, class Step>
void sgd(const OpCall& call, P&& p, G&& g, V&& v, NewP&& new_p, NewV&& new_v, const Step& step) {
  const SgdStep<ScalarMath<Acc>> f(call.attributes.data());
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    const auto next = f(static_cast<Acc>(p[i]), static_cast<Acc>(g[i]), static_cast<Acc>(v[i]));
    store(new_p, i, next.parameter);
    store(new_v, i, next.velocity);
    step(1);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 1> kSgdDefinitions{{
    {"sgd",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       sgd<Acc>(c, o.in(0), o.in(1), o.template in_as<Acc>(2), o.out(0), o.template out_as<Acc>(1),
                o.step);
     }},
}};

}  // namespace siliconprof::reference
