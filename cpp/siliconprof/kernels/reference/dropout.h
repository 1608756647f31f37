#pragma once

// dropout by its definition; Acc and step as in matmul.h.

#include <array>
#include <cstdint>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

#include "siliconprof/kernels/dropout_bits.inc"

/// y = x/(1 - rate) where kept, else 0.
template <class Acc, class X, class Y, class Step>
void dropout(const OpCall& call, X&& x, Y&& y, const Step& step) {
  const auto [rate, seed] = first<2>(call.attributes);
  const Acc factor(1 / (1 - rate));
  const std::uint32_t threshold = dropout_threshold(rate);
  DropoutKeys keys{};
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    if (i % kDropoutRun == 0) keys = dropout_keys(seed, i / kDropoutRun);
    const auto number = std::uint32_t(i % kDropoutRun);
    const bool kept = dropout_bits(number, keys.first, keys.second) >= threshold;
    const Acc scaled = factor * static_cast<Acc>(x[i]);
    store(y, i, kept ? scaled : Acc(0));
    step(1);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 1> kDropoutDefinitions{{
    {"dropout",
     [](const OpCall& c, O& o) { dropout<typename O::Acc>(c, o.in(0), o.out(0), o.step); }},
}};

}  // namespace siliconprof::reference
