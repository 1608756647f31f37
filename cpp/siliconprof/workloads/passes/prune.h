#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// The trace without the calls that nothing needs: neither a result, nor a gradient that it names,
/// nor the update of a parameter, an optimizer state or a constant. Tensors that no call uses any
/// more go too, parameters, states and inputs aside. A trace that names no results stays as it is.
Trace prune(const Trace& trace);

}  // namespace siliconprof
