#pragma once

// C = x·yᵀ by its definition; Acc and step as in matmul.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// Shapes as in ops/outer.h.
template <class Acc, class X, class Y, class C, class Step>
void outer(const OpCall& call, X&& x, Y&& y, C&& c, const Step& step) {
  const auto [m, n] = first<2>(call.dims);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      store(c, i * n + j, static_cast<Acc>(x[i]) * static_cast<Acc>(y[j]));
    }
    step(n);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 1> kOuterDefinitions{{
    {"outer",
     [](const OpCall& c, O& o) { outer<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step); }},
}};

}  // namespace siliconprof::reference
