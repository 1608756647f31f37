#pragma once

// A tensor of one element as a number.

#include "siliconprof/core/tensor.h"
#include "siliconprof/kernels/cpu/element_type.h"

namespace siliconprof::cpu {

inline double only_element(const TensorView& view) {
  double value = 0.0;
  with_element_type(view.dtype, [&]<class T>() { value = double(*view.as<const T>()); });
  return value;
}

/// Rounds to the arithmetic of the format, then to the format.
inline void set_only_element(const TensorView& view, double value) {
  with_element_type(view.dtype,
                    [&]<class T>() { *view.as<T>() = T(static_cast<Accumulator<T>>(value)); });
}

}  // namespace siliconprof::cpu
