#pragma once

// The order of sort, argmax and scatter_max: by size, a NaN larger than all, NaNs equal.

#include <cmath>

namespace siliconprof::reference {

/// a stands after b; one comparison.
template <class Acc>
bool is_larger(const Acc& a, const Acc& b) {
  using std::isnan;
  if (isnan(b)) return false;
  return isnan(a) || a > b;
}

}  // namespace siliconprof::reference
