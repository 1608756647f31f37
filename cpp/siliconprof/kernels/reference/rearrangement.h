#pragma once

// concat, slice, slice_backward and transpose by definition, bit for bit: no arithmetic scalar in
// between. Shapes as in ops/concat.h, ops/slice.h and ops/transpose.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// out[to + i] = in[from + i].
template <class In, class Out, class Step>
void copy_run(In&& in, std::int64_t from, Out&& out, std::int64_t to, std::int64_t n,
              const Step& step) {
  for (std::int64_t i = 0; i < n; ++i) store(out, to + i, static_cast<Element<In>>(in[from + i]));
  step(n);
}

template <class A, class B, class Y, class Step>
void concat(const OpCall& call, A&& a, B&& b, Y&& y, const Step& step) {
  const std::int64_t first = call.dims[1] * call.dims[3];
  const std::int64_t second = call.dims[2] * call.dims[3];
  for (std::int64_t o = 0; o < call.dims[0]; ++o) {
    copy_run(a, o * first, y, o * (first + second), first, step);
    copy_run(b, o * second, y, o * (first + second) + first, second, step);
  }
}

template <class X, class Y, class Step>
void slice(const OpCall& call, X&& x, Y&& y, const Step& step) {
  const auto [outer, size, length, inner] = first<4>(call.dims);
  const auto begin = std::int64_t(call.attributes[0]);
  for (std::int64_t o = 0; o < outer; ++o) {
    copy_run(x, (o * size + begin) * inner, y, o * length * inner, length * inner, step);
  }
}

template <class Acc, class Dy, class Dx, class Step>
void slice_backward(const OpCall& call, Dy&& dy, Dx&& dx, const Step& step) {
  const auto [outer, size, length, inner] = first<4>(call.dims);
  const auto begin = std::int64_t(call.attributes[0]);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < size * inner; ++i) store(dx, o * size * inner + i, Acc(0));
    copy_run(dy, o * length * inner, dx, (o * size + begin) * inner, length * inner, step);
  }
}

template <class X, class Y, class Step>
void transpose(const OpCall& call, X&& x, Y&& y, const Step& step) {
  const auto [outer, m, n, inner] = first<4>(call.dims);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        copy_run(x, ((o * m + i) * n + j) * inner, y, ((o * n + j) * m + i) * inner, inner, step);
      }
    }
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 4> kRearrangementDefinitions{{
    {"concat", [](const OpCall& c, O& o) { concat(c, o.in(0), o.in(1), o.out(0), o.step); }},
    {"slice", [](const OpCall& c, O& o) { slice(c, o.in(0), o.out(0), o.step); }},
    {"slice_backward",
     [](const OpCall& c, O& o) { slice_backward<typename O::Acc>(c, o.in(0), o.out(0), o.step); }},
    {"transpose", [](const OpCall& c, O& o) { transpose(c, o.in(0), o.out(0), o.step); }},
}};

}  // namespace siliconprof::reference
