#pragma once

// Casts and fill by definition; Acc and step as in matmul.h.

#include <array>
#include <bit>
#include <cmath>

#include "siliconprof/core/half.h"
#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// x as a float whose last bit is set where something was cut off: rounding that to nearest in a
/// format with two bits less or fewer is rounding x itself, once.
inline float rounded_to_odd(double x) {
  const auto nearest = static_cast<float>(x);
  if (std::isnan(x) || static_cast<double>(nearest) == x) return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::abs(static_cast<double>(nearest)) > std::abs(x)) --bits;
  return std::bit_cast<float>(bits | 1U);
}

/// Shapes as in ops/cast.h.
template <class Acc, class X, class Y, class Step>
void cast(const OpCall& call, X&& x, Y&& y, const Step& step) {
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    if constexpr (std::is_same_v<Element<X>, double> && sizeof(Element<Y>) == 2) {
      store(y, i, rounded_to_odd(x[i]));
    } else {
      store(y, i, static_cast<Acc>(x[i]));
    }
    step(1);
  }
}

template <class To, class O>
void run_cast(const OpCall& call, O& o) {
  cast<typename O::Acc>(call, o.in(0), o.template out_as<To>(0), o.step);
}

template <class Acc, class Y, class Step>
void fill(const OpCall& call, Y&& y, const Step& step) {
  const Acc value(call.attributes[0]);
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    store(y, i, value);
    step(1);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 5> kCastDefinitions{{
    {"cast_float64", run_cast<double, O>},
    {"cast_float32", run_cast<float, O>},
    {"cast_float16", run_cast<float16, O>},
    {"cast_bfloat16", run_cast<bfloat16, O>},
    {"fill", [](const OpCall& c, O& o) { fill<typename O::Acc>(c, o.out(0), o.step); }},
}};

}  // namespace siliconprof::reference
