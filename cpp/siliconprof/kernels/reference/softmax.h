#pragma once

// Softmax along an axis and its gradient by their definitions; Acc and step as in matmul.h.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// Shapes as in ops/softmax.h. The largest term is subtracted from all: none overflows.
template <class Acc, class X, class Y, class Step>
void softmax(const OpCall& call, X&& x, Y&& y, const Step& step) {
  using std::exp;
  using std::max;
  const auto [outer, size, inner] = first<3>(call.dims);
  if (size == 0) return;  // there is no largest term
  std::vector<Acc> terms(static_cast<std::size_t>(size));
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      const std::int64_t first = o * size * inner + i;
      Acc largest = static_cast<Acc>(x[first]);
      for (std::int64_t r = 1; r < size; ++r) {
        largest = max(largest, static_cast<Acc>(x[first + r * inner]));
      }
      Acc total(0);
      for (std::int64_t r = 0; r < size; ++r) {
        const Acc term = exp(static_cast<Acc>(x[first + r * inner]) - largest);
        total = total + term;
        terms[static_cast<std::size_t>(r)] = term;
      }
      for (std::int64_t r = 0; r < size; ++r) {
        store(y, first + r * inner, terms[static_cast<std::size_t>(r)] / total);
      }
      step(5 * size);
    }
  }
}

template <class Acc, class Y, class Dy, class Dx, class Step>
void softmax_backward(const OpCall& call, Y&& y, Dy&& dy, Dx&& dx, const Step& step) {
  const auto [outer, size, inner] = first<3>(call.dims);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      const std::int64_t first = o * size * inner + i;
      Acc dot(0);
      for (std::int64_t r = 0; r < size; ++r) {
        const std::int64_t at = first + r * inner;
        dot = dot + static_cast<Acc>(y[at]) * static_cast<Acc>(dy[at]);
      }
      for (std::int64_t r = 0; r < size; ++r) {
        const std::int64_t at = first + r * inner;
        store(dx, at, static_cast<Acc>(y[at]) * (static_cast<Acc>(dy[at]) - dot));
      }
      step(4 * size);
    }
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 2> kSoftmaxDefinitions{{
    {"softmax",
     [](const OpCall& c, O& o) { softmax<typename O::Acc>(c, o.in(0), o.out(0), o.step); }},
    {"softmax_backward",
     [](const OpCall& c, O& o) {
       softmax_backward<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step);
     }},
}};

}  // namespace siliconprof::reference
