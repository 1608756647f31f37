#pragma once

// Attention and its gradient by their definitions, head after head; Acc and step as in matmul.h.

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/attention_layout.h"

namespace siliconprof::reference {

/// Element numbers of one head of one item of the batch.
struct AttentionHead {
  const AttentionLayout& a;
  std::int64_t b;
  std::int64_t h;

  std::int64_t q(std::int64_t i) const { return (b * a.queries + i) * a.row + a.head(h); }
  std::int64_t k(std::int64_t j) const { return (b * a.keys + j) * a.row + a.k_first + a.head(h); }
  std::int64_t v(std::int64_t j) const { return (b * a.keys + j) * a.row + a.v_first + a.head(h); }
  std::int64_t y(std::int64_t i) const { return (b * a.queries + i) * a.y_row() + a.head(h); }
  std::int64_t lse(std::int64_t i) const { return (b * a.heads + h) * a.queries + i; }
};

/// Σ x[first + c]·y[second + c].
template <class Acc, class X, class Y>
Acc dot(X&& x, std::int64_t first, Y&& y, std::int64_t second, std::int64_t n) {
  Acc sum(0);
  for (std::int64_t c = 0; c < n; ++c) {
    sum = sum + static_cast<Acc>(x[first + c]) * static_cast<Acc>(y[second + c]);
  }
  return sum;
}

template <class Acc>
Acc attention_scale(const AttentionLayout& a) {
  return Acc(1.0 / std::sqrt(double(a.head_dim)));
}

/// Largest score first: no exponential overflows.
template <class Acc, class Q, class K, class V, class Y, class Lse>
void attention_row(const AttentionHead& head, std::int64_t i, Q&& q, K&& k, V&& v, Y&& y,
                   Lse&& lse) {
  using std::exp;
  using std::log;
  using std::max;
  const std::int64_t n = head.a.head_dim;
  std::vector<Acc> terms;
  Acc largest(0);
  for (std::int64_t j = 0; j < head.a.seen(i); ++j) {
    terms.push_back(dot<Acc>(q, head.q(i), k, head.k(j), n) * attention_scale<Acc>(head.a));
    largest = j == 0 ? terms[0] : max(largest, terms.back());
  }
  Acc total(0);
  for (Acc& term : terms) {
    term = exp(term - largest);
    total = total + term;
  }
  std::vector<Acc> sums(std::size_t(n), Acc(0));
  for (std::size_t j = 0; j < terms.size(); ++j) {
    for (std::int64_t c = 0; c < n; ++c) {
      Acc& sum = sums[std::size_t(c)];
      sum = sum + terms[j] * static_cast<Acc>(v[head.v(std::int64_t(j)) + c]);
    }
  }
  for (std::int64_t c = 0; c < n; ++c) {
    store(y, head.y(i) + c, terms.empty() ? Acc(0) : sums[std::size_t(c)] / total);
  }
  store(lse, head.lse(i),
        terms.empty() ? Acc(-std::numeric_limits<double>::infinity()) : largest + log(total));
}

template <class Acc, class Q, class K, class V, class Y, class Lse, class Step>
void attention(const AttentionLayout& a, Q&& q, K&& k, V&& v, Y&& y, Lse&& lse, const Step& step) {
  for (std::int64_t b = 0; b < a.batch; ++b) {
    for (std::int64_t h = 0; h < a.heads; ++h) {
      for (std::int64_t i = 0; i < a.queries; ++i) {
        attention_row<Acc>({a, b, h}, i, q, k, v, y, lse);
        step(2 * a.seen(i) * a.head_dim);
      }
    }
  }
}

/// Sums of one head.
template <class Acc>
struct HeadGradients {
  std::vector<Acc> dq;
  std::vector<Acc> dk;
  std::vector<Acc> dv;
  explicit HeadGradients(const AttentionLayout& a)
      : dq(std::size_t(a.queries * a.head_dim), Acc(0)),
        dk(std::size_t(a.keys * a.head_dim), Acc(0)),
        dv(dk) {}
};

template <class Acc, class Q, class K, class V, class Y, class Lse, class Dy>
void attention_row_backward(const AttentionHead& head, std::int64_t i, Q&& q, K&& k, V&& v, Y&& y,
                            Lse&& lse, Dy&& dy, HeadGradients<Acc>& sums) {
  using std::exp;
  const std::int64_t n = head.a.head_dim;
  const std::int64_t seen = head.a.seen(i);
  if (seen == 0) return;
  const Acc scale = attention_scale<Acc>(head.a);
  const Acc row_dot = dot<Acc>(y, head.y(i), dy, head.y(i), n);
  const Acc row_lse = static_cast<Acc>(lse[head.lse(i)]);
  for (std::int64_t j = 0; j < seen; ++j) {
    const Acc p = exp(dot<Acc>(q, head.q(i), k, head.k(j), n) * scale - row_lse);
    const Acc dp = dot<Acc>(dy, head.y(i), v, head.v(j), n);
    const Acc ds = p * (dp - row_dot) * scale;
    for (std::int64_t c = 0; c < n; ++c) {
      Acc& dq = sums.dq[std::size_t(i * n + c)];
      Acc& dk = sums.dk[std::size_t(j * n + c)];
      Acc& dv = sums.dv[std::size_t(j * n + c)];
      dq = dq + ds * static_cast<Acc>(k[head.k(j) + c]);
      dk = dk + ds * static_cast<Acc>(q[head.q(i) + c]);
      dv = dv + p * static_cast<Acc>(dy[head.y(i) + c]);
    }
  }
}

template <class Acc, class Q, class K, class V, class Y, class Lse, class Dy, class Dq, class Dk,
          class Dv, class Step>
void attention_backward(const AttentionLayout& a, Q&& q, K&& k, V&& v, Y&& y, Lse&& lse, Dy&& dy,
                        Dq&& dq, Dk&& dk, Dv&& dv, const Step& step) {
  const std::int64_t n = a.head_dim;
  for (std::int64_t b = 0; b < a.batch; ++b) {
    for (std::int64_t h = 0; h < a.heads; ++h) {
      const AttentionHead head{a, b, h};
      HeadGradients<Acc> sums(a);
      for (std::int64_t i = 0; i < a.queries; ++i) {
        attention_row_backward<Acc>(head, i, q, k, v, y, lse, dy, sums);
        step(5 * a.seen(i) * n);
      }
      for (std::int64_t c = 0; c < a.queries * n; ++c) {
        store(dq, head.q(c / n) + c % n, sums.dq[std::size_t(c)]);
      }
      for (std::int64_t c = 0; c < a.keys * n; ++c) {
        store(dk, head.k(c / n) + c % n, sums.dk[std::size_t(c)]);
        store(dv, head.v(c / n) + c % n, sums.dv[std::size_t(c)]);
      }
    }
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 4> kAttentionDefinitions{{
    {"attention",
     [](const OpCall& call, O& o) {
       using Acc = typename O::Acc;
       attention<Acc>(attention_layout(call), o.in(0), o.in(1), o.in(2), o.out(0),
                      o.template out_as<Acc>(1), o.step);
     }},
    {"attention_backward",
     [](const OpCall& call, O& o) {
       using Acc = typename O::Acc;
       attention_backward<Acc>(attention_layout(call), o.in(0), o.in(1), o.in(2), o.in(3),
                               o.template in_as<Acc>(4), o.in(5), o.out(0), o.out(1), o.out(2),
                               o.step);
     }},
    {"attention_qkv",
     [](const OpCall& call, O& o) {
       using Acc = typename O::Acc;
       attention<Acc>(attention_qkv_layout(call), o.in(0), o.in(0), o.in(0), o.out(0),
                      o.template out_as<Acc>(1), o.step);
     }},
    {"attention_qkv_backward",
     [](const OpCall& call, O& o) {
       using Acc = typename O::Acc;
       attention_backward<Acc>(attention_qkv_layout(call), o.in(0), o.in(0), o.in(0), o.in(1),
                               o.template in_as<Acc>(2), o.in(3), o.out(0), o.out(0), o.out(0),
                               o.step);
     }},
}};

}  // namespace siliconprof::reference
