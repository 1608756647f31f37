#pragma once

// A definition is an op written as its formula, on any scalar and any arrays: the reference engine
// runs it on memory, tests run it on float64 and on scalars that count.
//
// Operands O of a definition offer
//   O::Acc               what sums are formed in
//   in(i), out(i)        the i-th input and output, elements in the call's dtype
//   in_as<T>(i), out_as<T>(i)   those of another dtype: int32 indices (std::int32_t), statistics
//                        (Acc), the other side of a cast
//   step                 called now and then with a number of inner steps done

#include <cstdint>
#include <string_view>

#include "siliconprof/ops/call.h"

namespace siliconprof::reference {

template <class O>
struct Definition {
  std::string_view op;
  void (*run)(const OpCall&, O&);
};

}  // namespace siliconprof::reference
