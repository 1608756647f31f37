#pragma once

// The causal mask and its gradient by definition; step as in matmul.h, shapes as in
// ops/causal_mask.h.

#include <array>
#include <limits>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// y = x, bit for bit, where the row sees the column; else `hidden`.
template <class Acc, class X, class Y, class Step>
void causal_mask(const OpCall& call, double hidden, X&& x, Y&& y, const Step& step) {
  const auto [batch, rows, columns] = first<3>(call.dims);
  for (std::int64_t row = 0; row < batch * rows; ++row) {
    const std::int64_t last = row % rows + columns - rows;
    for (std::int64_t i = 0; i < columns; ++i) {
      if (i <= last) {
        store(y, row * columns + i, static_cast<Element<X>>(x[row * columns + i]));
      } else {
        store(y, row * columns + i, Acc(hidden));
      }
    }
    step(columns);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 2> kCausalMaskDefinitions{{
    {"causal_mask",
     [](const OpCall& c, O& o) {
       constexpr double hidden = -std::numeric_limits<double>::infinity();
       causal_mask<typename O::Acc>(c, hidden, o.in(0), o.out(0), o.step);
     }},
    {"causal_mask_backward",
     [](const OpCall& c, O& o) {
       causal_mask<typename O::Acc>(c, 0.0, o.in(0), o.out(0), o.step);
     }},
}};

}  // namespace siliconprof::reference
