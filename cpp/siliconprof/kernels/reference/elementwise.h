#pragma once

// copy, add, scale and triad by their definitions; Acc and step as in matmul.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// b = a, bit for bit: no arithmetic scalar in between.
template <class A, class B, class Step>
void copy(const OpCall& call, A&& a, B&& b, const Step& step) {
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    store(b, i, static_cast<Element<A>>(a[i]));
    step(1);
  }
}

/// c = a + b.
template <class Acc, class A, class B, class C, class Step>
void add(const OpCall& call, A&& a, B&& b, C&& c, const Step& step) {
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    store(c, i, static_cast<Acc>(a[i]) + static_cast<Acc>(b[i]));
    step(1);
  }
}

/// b = alpha·a; alpha is rounded to Acc first.
template <class Acc, class A, class B, class Step>
void scale(const OpCall& call, A&& a, B&& b, const Step& step) {
  const Acc alpha(call.attributes[0]);
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    store(b, i, alpha * static_cast<Acc>(a[i]));
    step(1);
  }
}

/// c = a + alpha·b; alpha is rounded to Acc first.
template <class Acc, class A, class B, class C, class Step>
void triad(const OpCall& call, A&& a, B&& b, C&& c, const Step& step) {
  const Acc alpha(call.attributes[0]);
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    store(c, i, static_cast<Acc>(a[i]) + alpha * static_cast<Acc>(b[i]));
    step(1);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 4> kElementwiseDefinitions{{
    {"copy", [](const OpCall& c, O& o) { copy(c, o.in(0), o.out(0), o.step); }},
    {"add",
     [](const OpCall& c, O& o) { add<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step); }},
    {"scale", [](const OpCall& c, O& o) { scale<typename O::Acc>(c, o.in(0), o.out(0), o.step); }},
    {"triad",
     [](const OpCall& c, O& o) { triad<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step); }},
}};

}  // namespace siliconprof::reference
