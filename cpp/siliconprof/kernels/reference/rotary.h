#pragma once

// Rotary positions by their definition (ops/rotary.h); Acc and step as in matmul.h.

#include <array>
#include <cmath>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/kernels/rotary_angles.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

template <class Acc, class X, class Y, class Step>
void rotary(const OpCall& call, X&& x, Y&& y, const Step& step) {
  const auto [batch, tokens, heads, head_dim] = first<4>(call.dims);
  const std::int64_t half = head_dim / 2;
  for (std::int64_t row = 0; row < batch * tokens * heads; ++row) {
    const std::int64_t token = row / heads % tokens;
    for (std::int64_t i = 0; i < half; ++i) {
      const double angle = rotary_angle(call, token, i);
      const Acc cosine(std::cos(angle));
      const Acc sine(std::sin(angle));
      const std::int64_t at = row * head_dim + i;
      const auto a = static_cast<Acc>(x[at]);
      const auto b = static_cast<Acc>(x[at + half]);
      store(y, at, a * cosine - b * sine);
      store(y, at + half, b * cosine + a * sine);
    }
    step(head_dim);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 1> kRotaryDefinitions{{
    {"rotary",
     [](const OpCall& c, O& o) { rotary<typename O::Acc>(c, o.in(0), o.out(0), o.step); }},
}};

}  // namespace siliconprof::reference
