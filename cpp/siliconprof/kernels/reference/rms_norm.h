#pragma once

// Rows over their root mean square and the gradient by definition; Acc and step as in matmul.h,
// shapes as in ops/rms_norm.h.

#include <array>
#include <cmath>
#include <vector>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

template <class Acc, class X, class Weight, class Y, class Rrms, class Step>
void rms_norm(const OpCall& call, X&& x, Weight&& weight, Y&& y, Rrms&& rrms, const Step& step) {
  using std::sqrt;
  const auto [rows, n] = first<2>(call.dims);
  const Acc epsilon(call.attributes[0]);
  for (std::int64_t row = 0; row < rows; ++row) {
    Acc squares(0);
    for (std::int64_t i = 0; i < n; ++i) {
      const Acc value = static_cast<Acc>(x[row * n + i]);
      squares = squares + value * value;
    }
    const Acc factor = Acc(1) / sqrt(squares / Acc(double(n)) + epsilon);
    store(rrms, row, factor);
    for (std::int64_t i = 0; i < n; ++i) {
      store(y, row * n + i,
            static_cast<Acc>(x[row * n + i]) * factor * static_cast<Acc>(weight[i]));
    }
    step(4 * n);
  }
}

template <class Acc, class X, class Weight, class Rrms, class Dy, class Dx, class Dweight,
          class Step>
void rms_norm_backward(const OpCall& call, X&& x, Weight&& weight, Rrms&& rrms, Dy&& dy, Dx&& dx,
                       Dweight&& dweight, const Step& step) {
  const auto [rows, n] = first<2>(call.dims);
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  std::vector<Acc> weight_sums(at(n), Acc(0));
  std::vector<Acc> scaled(at(n));  // x over its root mean square
  std::vector<Acc> slopes(at(n));  // of the loss by those
  for (std::int64_t row = 0; row < rows; ++row) {
    const Acc factor = static_cast<Acc>(rrms[row]);
    Acc dot(0);
    for (std::int64_t i = 0; i < n; ++i) {
      const Acc cotangent = static_cast<Acc>(dy[row * n + i]);
      const Acc value = static_cast<Acc>(x[row * n + i]) * factor;
      const Acc slope = cotangent * static_cast<Acc>(weight[i]);
      dot = dot + slope * value;
      weight_sums[at(i)] = weight_sums[at(i)] + cotangent * value;
      scaled[at(i)] = value;
      slopes[at(i)] = slope;
    }
    const Acc mean_dot = dot / Acc(double(n));
    for (std::int64_t i = 0; i < n; ++i) {
      store(dx, row * n + i, (slopes[at(i)] - scaled[at(i)] * mean_dot) * factor);
    }
    step(9 * n);
  }
  for (std::int64_t i = 0; i < n; ++i) store(dweight, i, weight_sums[at(i)]);
}

template <class O>
inline constexpr std::array<Definition<O>, 2> kRmsNormDefinitions{{
    {"rms_norm",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       rms_norm<Acc>(c, o.in(0), o.in(1), o.out(0), o.template out_as<Acc>(1), o.step);
     }},
    {"rms_norm_backward",
     [](const OpCall& c, O& o) {
       using Acc = typename O::Acc;
       rms_norm_backward<Acc>(c, o.in(0), o.in(1), o.template in_as<Acc>(2), o.in(3), o.out(0),
                              o.out(1), o.step);
     }},
}};

}  // namespace siliconprof::reference
