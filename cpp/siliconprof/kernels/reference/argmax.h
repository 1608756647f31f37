#pragma once

// The index of the largest along an axis by definition; Acc and step as in matmul.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/kernels/reference/order.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// Shapes as in ops/argmax.h.
template <class Acc, class X, class Y, class Step>
void argmax(const OpCall& call, X&& x, Y&& y, const Step& step) {
  const auto [outer, size, inner] = first<3>(call.dims);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      const std::int64_t first = o * size * inner + i;
      Acc largest = static_cast<Acc>(x[first]);
      std::int32_t where = 0;
      for (std::int64_t r = 1; r < size; ++r) {
        const Acc value = static_cast<Acc>(x[first + r * inner]);
        if (!is_larger(value, largest)) continue;
        largest = value;
        where = std::int32_t(r);
      }
      y[o * inner + i] = where;
      step(size);
    }
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 1> kArgmaxDefinitions{{
    {"argmax",
     [](const OpCall& c, O& o) {
       argmax<typename O::Acc>(c, o.in(0), o.template out_as<std::int32_t>(0), o.step);
     }},
}};

}  // namespace siliconprof::reference
