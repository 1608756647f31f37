#pragma once

// The contrastive loss of SimCLR and its gradient by definition; Acc and step as in matmul.h,
// shapes as in ops/nt_xent.h.

#include <array>
#include <cmath>
#include <vector>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

template <class Acc, class Similarity, class Loss, class Lse, class Step>
void nt_xent(const OpCall& call, Similarity&& similarity, Loss&& loss, Lse&& lse,
             const Step& step) {
  using std::exp;
  using std::log;
  using std::max;
  const std::int64_t rows = call.dims[0];
  const Acc temperature(call.attributes[0]);
  std::vector<Acc> z(static_cast<std::size_t>(rows));
  Acc total(0);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t any = row == 0 ? 1 : 0;  // a column that is not the diagonal
    for (std::int64_t i = 0; i < rows; ++i) {
      if (i == row) continue;
      z[static_cast<std::size_t>(i)] = static_cast<Acc>(similarity[row * rows + i]) / temperature;
    }
    Acc largest = z[static_cast<std::size_t>(any)];
    for (std::int64_t i = any + 1; i < rows; ++i) {
      if (i != row) largest = max(largest, z[static_cast<std::size_t>(i)]);
    }
    Acc sum(0);
    for (std::int64_t i = 0; i < rows; ++i) {
      if (i != row) sum = sum + exp(z[static_cast<std::size_t>(i)] - largest);
    }
    const Acc logarithm = log(sum) + largest;
    store(lse, row, logarithm);
    total = total + (logarithm - z[static_cast<std::size_t>((row + rows / 2) % rows)]);
    step(5 * rows);
  }
  store(loss, 0, total / Acc(double(rows)));
}

template <class Acc, class Similarity, class Lse, class Dloss, class Dsimilarity, class Step>
void nt_xent_backward(const OpCall& call, Similarity&& similarity, Lse&& lse, Dloss&& dloss,
                      Dsimilarity&& dsimilarity, const Step& step) {
  using std::exp;
  const std::int64_t rows = call.dims[0];
  const Acc temperature(call.attributes[0]);
  const Acc scale = static_cast<Acc>(dloss[0]) / Acc(double(rows) * call.attributes[0]);
  for (std::int64_t row = 0; row < rows; ++row) {
    const Acc logarithm = static_cast<Acc>(lse[row]);
    for (std::int64_t i = 0; i < rows; ++i) {
      if (i == row) {
        store(dsimilarity, row * rows + i, Acc(0));
        continue;
      }
      Acc share = exp(static_cast<Acc>(similarity[row * rows + i]) / temperature - logarithm);
      if (i == (row + rows / 2) % rows) share = share - Acc(1);
      store(dsimilarity, row * rows + i, scale * share);
    }
    step(4 * rows);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 2> kNtXentDefinitions{{
    {"nt_xent",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       nt_xent<Acc>(c, o.in(0), o.template out_as<Acc>(0), o.template out_as<Acc>(1), o.step);
     }},
    {"nt_xent_backward",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       nt_xent_backward<Acc>(c, o.in(0), o.template in_as<Acc>(1), o.template in_as<Acc>(2),
                             o.out(0), o.step);
     }},
}};

}  // namespace siliconprof::reference
