#pragma once

// Pooling and its gradients by their definitions; Acc and step as in matmul.h, shapes as in
// ops/pool.h.

#include <array>
#include <cmath>
#include <vector>

#include "siliconprof/kernels/reference/convolution.h"
#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/pool.h"

namespace siliconprof::reference {

template <class Acc, class X, class Y, class Position, class Step>
void max_pool2d(const OpCall& call, X&& x, Y&& y, Position&& position, const Step& step) {
  using std::isnan;
  const Pooling p = pooling_of(call);
  std::int64_t result = 0;
  for_each(p.batch, p.rows.windows(), p.columns.windows(),
           [&](std::int64_t b, std::int64_t r, std::int64_t q) {
             for (std::int64_t k = 0; k < p.channels; ++k, ++result) {
               Acc largest(0);
               std::int64_t where = -1;
               for_taps(p.rows, r, [&](std::int64_t, std::int64_t i) {
                 for_taps(p.columns, q, [&](std::int64_t, std::int64_t j) {
                   const std::int64_t at = i * p.columns.length + j;
                   const auto value = static_cast<Acc>(x[(b * p.plane() + at) * p.channels + k]);
                   if (where >= 0 && !(value > largest) && !isnan(value)) return;
                   largest = value;
                   where = at;
                 });
               });
               store(y, result, largest);
               store(position, result, where);
               step(p.rows.kernel * p.columns.kernel);
             }
           });
}

template <class Acc, class Position, class Dy, class Dx, class Step>
void max_pool2d_backward(const OpCall& call, Position&& position, Dy&& dy, Dx&& dx,
                         const Step& step) {
  const Pooling p = pooling_of(call);
  const std::int64_t image = p.plane() * p.channels;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    std::vector<Acc> sums(std::size_t(image), Acc(0));
    for (std::int64_t i = 0; i < p.windows() * p.channels; ++i) {
      const std::int64_t from = b * p.windows() * p.channels + i;
      const auto where = static_cast<std::int32_t>(position[from]);
      Acc& sum = sums[std::size_t(where * p.channels + i % p.channels)];
      sum = sum + static_cast<Acc>(dy[from]);
    }
    for (std::int64_t i = 0; i < image; ++i) store(dx, b * image + i, sums[std::size_t(i)]);
    step(image);
  }
}

template <class Acc, class X, class Y, class Step>
void avg_pool2d(const OpCall& call, X&& x, Y&& y, const Step& step) {
  const Pooling p = pooling_of(call);
  const Acc elements(double(p.rows.kernel * p.columns.kernel));
  std::int64_t result = 0;
  for_each(p.batch, p.rows.windows(), p.columns.windows(),
           [&](std::int64_t b, std::int64_t r, std::int64_t q) {
             for (std::int64_t k = 0; k < p.channels; ++k, ++result) {
               Acc sum(0);
               for_taps(p.rows, r, [&](std::int64_t, std::int64_t i) {
                 for_taps(p.columns, q, [&](std::int64_t, std::int64_t j) {
                   const std::int64_t at = b * p.plane() + i * p.columns.length + j;
                   sum = sum + static_cast<Acc>(x[at * p.channels + k]);
                 });
               });
               store(y, result, sum / elements);
               step(p.rows.kernel * p.columns.kernel);
             }
           });
}

template <class Acc, class Dy, class Dx, class Step>
void avg_pool2d_backward(const OpCall& call, Dy&& dy, Dx&& dx, const Step& step) {
  const Pooling p = pooling_of(call);
  const Acc elements(double(p.rows.kernel * p.columns.kernel));
  std::int64_t result = 0;
  for_each(p.batch, p.rows.length, p.columns.length,
           [&](std::int64_t b, std::int64_t i, std::int64_t j) {
             for (std::int64_t k = 0; k < p.channels; ++k, ++result) {
               Acc sum(0);
               for_windows(p.rows, i, [&](std::int64_t, std::int64_t r) {
                 for_windows(p.columns, j, [&](std::int64_t, std::int64_t q) {
                   const std::int64_t at = b * p.windows() + r * p.columns.windows() + q;
                   sum = sum + static_cast<Acc>(dy[at * p.channels + k]);
                 });
               });
               store(dx, result, sum / elements);
               step(p.rows.kernel * p.columns.kernel);
             }
           });
}

template <class O>
inline constexpr std::array<Definition<O>, 4> kPoolDefinitions{{
    {"max_pool2d",
     [](const OpCall& c, O& o) {
       max_pool2d<typename O::Acc>(c, o.in(0), o.out(0), o.template out_as<std::int32_t>(1),
                                   o.step);
     }},
    {"max_pool2d_backward",
     [](const OpCall& c, O& o) {
       max_pool2d_backward<typename O::Acc>(c, o.template in_as<std::int32_t>(0), o.in(1), o.out(0),
                                            o.step);
     }},
    {"avg_pool2d",
     [](const OpCall& c, O& o) { avg_pool2d<typename O::Acc>(c, o.in(0), o.out(0), o.step); }},
    {"avg_pool2d_backward",
     [](const OpCall& c, O& o) {
       avg_pool2d_backward<typename O::Acc>(c, o.in(0), o.out(0), o.step);
     }},
}};

}  // namespace siliconprof::reference
