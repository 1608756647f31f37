#pragma once

// Sums along an axis by their definition; Acc and step as in matmul.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// Shapes as in ops/sum.h.
template <class Acc, class X, class Y, class Step>
void sum(const OpCall& call, X&& x, Y&& y, const Step& step) {
  const auto [outer, size, inner] = first<3>(call.dims);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      Acc total(0);
      for (std::int64_t r = 0; r < size; ++r) {
        total = total + static_cast<Acc>(x[(o * size + r) * inner + i]);
      }
      store(y, o * inner + i, total);
      step(size);
    }
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 1> kSumDefinitions{{
    {"sum", [](const OpCall& c, O& o) { sum<typename O::Acc>(c, o.in(0), o.out(0), o.step); }},
}};

}  // namespace siliconprof::reference
