#pragma once

// y = A·x or y = Aᵀ·x by its definition; Acc and step as in matmul.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// Shapes as in ops/matvec.h.
template <class Acc, class A, class X, class Y, class Step>
void matvec(const OpCall& call, A&& a, X&& x, Y&& y, const Step& step) {
  const auto [m, n] = first<2>(call.dims);
  const bool transpose = is_set(call.attributes[0]);
  const std::int64_t results = transpose ? n : m;
  const std::int64_t terms = transpose ? m : n;
  for (std::int64_t i = 0; i < results; ++i) {
    Acc sum(0);
    for (std::int64_t l = 0; l < terms; ++l) {
      const std::int64_t in_a = transpose ? l * n + i : i * n + l;
      sum = sum + static_cast<Acc>(a[in_a]) * static_cast<Acc>(x[l]);
    }
    store(y, i, sum);
    step(terms);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 1> kMatvecDefinitions{{
    {"matvec",
     [](const OpCall& c, O& o) { matvec<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step); }},
}};

}  // namespace siliconprof::reference
