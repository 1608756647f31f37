#pragma once

// gather and embedding by definition, bit for bit: no arithmetic scalar in between.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// Shapes as in ops/gather.h.
template <class X, class Index, class Y, class Step>
void gather(const OpCall& call, X&& x, Index&& index, Y&& y, const Step& step) {
  const std::int64_t count = call.dims[1];
  const std::int64_t columns = call.dims[2];
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = static_cast<std::int32_t>(index[i]);
    for (std::int64_t j = 0; j < columns; ++j) {
      store(y, i * columns + j, static_cast<Element<X>>(x[row * columns + j]));
    }
    step(columns);
  }
}

template <class O>
void run_gather(const OpCall& call, O& o) {
  gather(call, o.in(0), o.template in_as<std::int32_t>(1), o.out(0), o.step);
}

template <class O>
inline constexpr std::array<Definition<O>, 2> kGatherDefinitions{
    {{"gather", run_gather<O>}, {"embedding", run_gather<O>}}};

}  // namespace siliconprof::reference
