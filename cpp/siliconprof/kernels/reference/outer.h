#pragma once

// C = x·yᵀ by its definition; Acc and step as in matmul.h.

#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// Shapes as in ops/outer.h.
template <class Acc, class X, class Y, class C, class Step>
void outer(const OpCall& call, X&& x, Y&& y, C&& c, const Step& step) {
  const auto [m, n, d2, d3, d4, d5] = call.dims;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      store(c, i * n + j, static_cast<Acc>(x[i]) * static_cast<Acc>(y[j]));
    }
    step(n);
  }
}

}  // namespace siliconprof::reference
