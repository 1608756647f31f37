#pragma once

// C = A·B by its definition. Acc is the scalar in which products are formed and summed; `step(n)`
// is called after each element with the number of multiply-adds that it took.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// Shapes as in ops/matmul.h; `call` gives dims and transposes.
template <class Acc, class A, class B, class C, class Step>
void matmul(const OpCall& call, A&& a, B&& b, C&& c, const Step& step) {
  const auto [batch, m, k, n] = first<4>(call.dims);
  const bool ta = is_set(call.attributes[0]);
  const bool tb = is_set(call.attributes[1]);
  for (std::int64_t p = 0; p < batch; ++p) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        Acc sum(0);
        for (std::int64_t l = 0; l < k; ++l) {
          const std::int64_t in_a = p * m * k + (ta ? l * m + i : i * k + l);
          const std::int64_t in_b = p * k * n + (tb ? j * k + l : l * n + j);
          sum = sum + static_cast<Acc>(a[in_a]) * static_cast<Acc>(b[in_b]);
        }
        store(c, (p * m + i) * n + j, sum);
        step(k);
      }
    }
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 1> kMatmulDefinitions{{
    {"matmul",
     [](const OpCall& c, O& o) { matmul<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step); }},
}};

}  // namespace siliconprof::reference
