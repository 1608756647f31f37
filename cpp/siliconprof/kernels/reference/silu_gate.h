#pragma once

// The gate of ops/silu_gate.h by its definition; Acc and step as in matmul.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/kernels/reference/scalar_math.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

#include "siliconprof/kernels/gate_functions.inc"

template <class Acc, class G, class U, class Y, class Step>
void silu_gate(const OpCall& call, G&& gate, U&& up, Y&& y, const Step& step) {
  const SiluGate<ScalarMath<Acc>> f;
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    store(y, i, f(static_cast<Acc>(gate[i]), static_cast<Acc>(up[i])));
    step(1);
  }
}

template <class Acc, class G, class U, class Dy, class Dg, class Du, class Step>
void silu_gate_backward(const OpCall& call, G&& gate, U&& up, Dy&& dy, Dg&& dgate, Du&& dup,
                        const Step& step) {
  for (std::int64_t i = 0; i < call.dims[0]; ++i) {
    const SiluGateSlopes<ScalarMath<Acc>> slopes(static_cast<Acc>(gate[i]), static_cast<Acc>(up[i]),
                                                 static_cast<Acc>(dy[i]));
    store(dgate, i, slopes.dgate);
    store(dup, i, slopes.dup);
    step(1);
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 2> kSiluGateDefinitions{{
    {"silu_gate", [](const OpCall& c,
                     O& o) { silu_gate<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step); }},
    {"silu_gate_backward",
     [](const OpCall& c, O& o) {
       silu_gate_backward<typename O::Acc>(c, o.in(0), o.in(1), o.in(2), o.out(0), o.out(1),
                                           o.step);
     }},
}};

}  // namespace siliconprof::reference
