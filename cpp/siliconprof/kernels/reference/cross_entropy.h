#pragma once

// Cross-entropy of class scores and its gradient by definition; Acc and step as in matmul.h, shapes
// as in ops/cross_entropy.h.

#include <array>
#include <cmath>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

template <class Acc, class Logits, class Target, class Loss, class Lse, class Step>
void cross_entropy(const OpCall& call, Logits&& logits, Target&& target, Loss&& loss, Lse&& lse,
                   const Step& step) {
  using std::exp;
  using std::log;
  using std::max;
  const auto [rows, v] = first<2>(call.dims);
  Acc total(0);
  for (std::int64_t row = 0; row < rows; ++row) {
    Acc largest = static_cast<Acc>(logits[row * v]);
    for (std::int64_t i = 1; i < v; ++i) {
      largest = max(largest, static_cast<Acc>(logits[row * v + i]));
    }
    Acc sum(0);
    for (std::int64_t i = 0; i < v; ++i) {
      sum = sum + exp(static_cast<Acc>(logits[row * v + i]) - largest);
    }
    const Acc logarithm = log(sum) + largest;
    store(lse, row, logarithm);
    const std::int64_t hit = static_cast<std::int32_t>(target[row]);
    total = total + (logarithm - static_cast<Acc>(logits[row * v + hit]));
    step(4 * v);
  }
  store(loss, 0, total / Acc(double(rows)));
}

template <class Acc, class Logits, class Target, class Lse, class Dloss, class Dlogits, class Step>
void cross_entropy_backward(const OpCall& call, Logits&& logits, Target&& target, Lse&& lse,
                            Dloss&& dloss, Dlogits&& dlogits, const Step& step) {
  using std::exp;
  const auto [rows, v] = first<2>(call.dims);
  const Acc scale = static_cast<Acc>(dloss[0]) / Acc(double(rows));
  for (std::int64_t row = 0; row < rows; ++row) {
    const Acc logarithm = static_cast<Acc>(lse[row]);
    const std::int64_t hit = static_cast<std::int32_t>(target[row]);
    for (std::int64_t i = 0; i < v; ++i) {
      Acc share = exp(static_cast<Acc>(logits[row * v + i]) - logarithm);
      if (i == hit) share = share - Acc(1);
      store(dlogits, row * v + i, scale * share);
    }
    step(3 * v);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 2> kCrossEntropyDefinitions{{
    {"cross_entropy",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       cross_entropy<Acc>(c, o.in(0), o.template in_as<std::int32_t>(1), o.template out_as<Acc>(0),
                          o.template out_as<Acc>(1), o.step);
     }},
    {"cross_entropy_backward",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       cross_entropy_backward<Acc>(c, o.in(0), o.template in_as<std::int32_t>(1),
                                   o.template in_as<Acc>(2), o.template in_as<Acc>(3), o.out(0),
                                   o.step);
     }},
}};

}  // namespace siliconprof::reference
