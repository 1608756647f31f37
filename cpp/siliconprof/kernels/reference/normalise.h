#pragma once

// Rows of length 1 and the gradient by definition; Acc and step as in matmul.h, shapes as in
// ops/normalise.h.

#include <array>
#include <cmath>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/kernels/reference/scalar_math.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// The larger of the norm and epsilon; a NaN stays.
template <class Acc>
Acc kept_norm(const Acc& norm, double epsilon) {
  return ScalarMath<Acc>::if_at_most(norm, Acc(epsilon), Acc(epsilon), norm);
}

template <class Acc, class X, class Y, class Norm, class Step>
void normalise(const OpCall& call, X&& x, Y&& y, Norm&& norm, const Step& step) {
  using std::sqrt;
  const auto [rows, n] = first<2>(call.dims);
  for (std::int64_t row = 0; row < rows; ++row) {
    Acc squares(0);
    for (std::int64_t i = 0; i < n; ++i) {
      const Acc value = static_cast<Acc>(x[row * n + i]);
      squares = squares + value * value;
    }
    const Acc length = sqrt(squares);
    store(norm, row, length);
    const Acc divisor = kept_norm(length, call.attributes[0]);
    for (std::int64_t i = 0; i < n; ++i) {
      store(y, row * n + i, static_cast<Acc>(x[row * n + i]) / divisor);
    }
    step(3 * n);
  }
}

template <class Acc, class Y, class Norm, class Dy, class Dx, class Step>
void normalise_backward(const OpCall& call, Y&& y, Norm&& norm, Dy&& dy, Dx&& dx,
                        const Step& step) {
  const auto [rows, n] = first<2>(call.dims);
  const Acc epsilon(call.attributes[0]);
  for (std::int64_t row = 0; row < rows; ++row) {
    Acc dot(0);
    for (std::int64_t i = 0; i < n; ++i) {
      dot = dot + static_cast<Acc>(y[row * n + i]) * static_cast<Acc>(dy[row * n + i]);
    }
    const Acc length = static_cast<Acc>(norm[row]);
    const Acc divisor = kept_norm(length, call.attributes[0]);
    // Up to epsilon the divisor is constant.
    const Acc along = ScalarMath<Acc>::if_at_most(length, epsilon, Acc(0), dot);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t at = row * n + i;
      store(dx, at, (static_cast<Acc>(dy[at]) - static_cast<Acc>(y[at]) * along) / divisor);
    }
    step(5 * n);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 2> kNormaliseDefinitions{{
    {"normalise",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       normalise<Acc>(c, o.in(0), o.out(0), o.template out_as<Acc>(1), o.step);
     }},
    {"normalise_backward",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       normalise_backward<Acc>(c, o.in(0), o.template in_as<Acc>(1), o.in(2), o.out(0), o.step);
     }},
}};

}  // namespace siliconprof::reference
