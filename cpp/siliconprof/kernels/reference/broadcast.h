#pragma once

// Repetition along an axis by its definition; step as in matmul.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// Shapes as in ops/broadcast.h; bit for bit: no arithmetic scalar in between.
template <class X, class Y, class Step>
void broadcast(const OpCall& call, X&& x, Y&& y, const Step& step) {
  const auto [outer, size, inner] = first<3>(call.dims);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t r = 0; r < size; ++r) {
      for (std::int64_t i = 0; i < inner; ++i) {
        store(y, (o * size + r) * inner + i, static_cast<Element<X>>(x[o * inner + i]));
      }
      step(inner);
    }
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 1> kBroadcastDefinitions{{
    {"broadcast", [](const OpCall& c, O& o) { broadcast(c, o.in(0), o.out(0), o.step); }},
}};

}  // namespace siliconprof::reference
