#pragma once

// Binary cross-entropy and its backward ops by definition; Acc and step as in matmul.h, shapes as
// in ops/bce.h.

#include <array>

#include "siliconprof/kernels/reference/activations.h"
#include "siliconprof/kernels/reference/definition.h"

namespace siliconprof::reference {

/// l = -1/n·Σ (t·log p + (1 - t)·log(1 - p)).
template <class Acc, class P, class T, class L, class Step>
void bce(const OpCall& call, P&& p, T&& t, L&& l, const Step& step) {
  const BceTerm<ScalarMath<Acc>> f;
  Acc sum(0);
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    sum = sum - f(static_cast<Acc>(p[i]), static_cast<Acc>(t[i]));
    step(1);
  }
  store(l, 0, sum / Acc(double(call.dims[0])));
}

/// dp = dl/n·(p - t)/max(p·(1 - p), 1e-12).
template <class Acc, class P, class T, class Dl, class Dp, class Step>
void bce_backward(const OpCall& call, P&& p, T&& t, Dl&& dl, Dp&& dp, const Step& step) {
  const BceSlope<ScalarMath<Acc>> f(static_cast<Acc>(dl[0]) / Acc(double(call.dims[0])));
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    store(dp, i, f(static_cast<Acc>(p[i]), static_cast<Acc>(t[i])));
    step(1);
  }
}

/// dt = dl/n·(log(1 - p) - log p).
template <class Acc, class P, class Dl, class Dt, class Step>
void bce_target_backward(const OpCall& call, P&& p, Dl&& dl, Dt&& dt, const Step& step) {
  const BceTargetSlope<ScalarMath<Acc>> f(static_cast<Acc>(dl[0]) / Acc(double(call.dims[0])));
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    store(dt, i, f(static_cast<Acc>(p[i])));
    step(1);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 3> kBceDefinitions{{
    {"bce",
     [](const OpCall& c, O& o) { bce<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step); }},
    {"bce_backward",
     [](const OpCall& c, O& o) {
       bce_backward<typename O::Acc>(c, o.in(0), o.in(1), o.in(2), o.out(0), o.step);
     }},
    {"bce_target_backward",
     [](const OpCall& c, O& o) {
       bce_target_backward<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step);
     }},
}};

}  // namespace siliconprof::reference
