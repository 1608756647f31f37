#pragma once

// unscale and update_scale by their definitions; Acc and step as in matmul.h, formulas as in
// ops/loss_scale.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// An infinity or a NaN less itself is NaN, a number 0.
template <class Acc>
bool is_finite(const Acc& x) {
  return x - x <= Acc(0);
}

template <class Acc, class G, class Scale, class Found, class NewG, class NewFound, class Step>
void unscale(const OpCall& call, G&& g, Scale&& scale, Found&& found, NewG&& new_g,
             NewFound&& new_found, const Step& step) {
  const Acc inverse = Acc(1) / static_cast<Acc>(scale[0]);
  Acc any = static_cast<Acc>(found[0]);
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    const Acc value = static_cast<Acc>(g[i]);
    if (!is_finite(value)) any = Acc(1);
    store(new_g, i, value * inverse);
    step(1);
  }
  store(new_found, 0, any);
}

/// Takes every choice, so that the cost is the same for all values.
template <class Acc, class Scale, class Tracker, class Found, class NewScale, class NewTracker>
void update_scale(const OpCall& call, Scale&& scale, Tracker&& tracker, Found&& found,
                  NewScale&& new_scale, NewTracker&& new_tracker) {
  const auto [growth, backoff, interval] = first<3>(call.attributes);
  const Acc old = static_cast<Acc>(scale[0]);
  const Acc successes = static_cast<Acc>(tracker[0]) + Acc(1);
  const Acc grown = old * Acc(growth);
  const Acc shrunk = old * Acc(backoff);
  const bool failed = static_cast<Acc>(found[0]) > Acc(0);
  const bool due = Acc(interval) <= successes;
  const bool can_grow = is_finite(grown);
  store(new_scale, 0, failed ? shrunk : due && can_grow ? grown : old);
  store(new_tracker, 0, failed || due ? Acc(0) : successes);
}

template <class O>
inline constexpr std::array<Definition<O>, 2> kLossScaleDefinitions{{
    {"unscale",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       unscale<Acc>(c, o.in(0), o.template in_as<Acc>(1), o.template in_as<Acc>(2), o.out(0),
                    o.template out_as<Acc>(1), o.step);
     }},
    {"update_scale",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       update_scale<Acc>(c, o.template in_as<Acc>(0), o.template in_as<Acc>(1),
                         o.template in_as<Acc>(2), o.template out_as<Acc>(0),
                         o.template out_as<Acc>(1));
     }},
}};

}  // namespace siliconprof::reference
