#pragma once

// A stable sort of one column of any length on one thread: digit by digit from the lowest, on keys
// whose order as integers is the order of the values (a -0 as 0, NaNs as the largest).

#include <cstdint>

#include "siliconprof/core/half.h"
#include "siliconprof/core/interrupt.h"

namespace siliconprof::cpu {

/// `size` elements that lie `stride` apart in all three.
template <class T>
struct SortedColumn {
  const T* x;
  T* values;
  std::int32_t* order;
  std::int64_t stride;
  std::int64_t size;
};

/// Polls between passes and now and then within; `poll` may be empty, or throw: values and order
/// are then in any state. Takes memory for four keys an element, which the thread keeps unless it
/// is large. Instantiated for the CPU's dtypes.
template <class T>
void radix_sort(const SortedColumn<T>& column, bool descending, const Poll& poll);

}  // namespace siliconprof::cpu
