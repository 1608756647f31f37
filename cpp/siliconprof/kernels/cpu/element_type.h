#pragma once

// From a dtype known at run time to the C++ type of its elements.

#include "siliconprof/core/dtype.h"
#include "siliconprof/core/error.h"
#include "siliconprof/core/half.h"

namespace siliconprof::cpu {

/// Where products and sums of T are formed: float for the 16-bit formats.
template <class T>
struct AccumulatorOf {
  using type = float;
};
template <>
struct AccumulatorOf<double> {
  using type = double;
};
template <class T>
using Accumulator = typename AccumulatorOf<T>::type;

/// The formats that CPUs compute in; tf32 is a mode of matrix units.
constexpr bool is_cpu_dtype(Dtype dtype) { return dtype != Dtype::Tf32 && dtype != Dtype::Int32; }

/// Calls function.operator()<T>(). Throws DtypeError for tf32.
template <class Function>
decltype(auto) with_element_type(Dtype dtype, const Function& function) {
  switch (dtype) {
    case Dtype::Float64:
      return function.template operator()<double>();
    case Dtype::Float32:
      return function.template operator()<float>();
    case Dtype::Float16:
      return function.template operator()<float16>();
    case Dtype::BFloat16:
      return function.template operator()<bfloat16>();
    case Dtype::Tf32:
    case Dtype::Int32:
      break;
  }
  throw DtypeError("[cpu] dtype is " + std::string(name(dtype)) +
                   "; needed: float64, float32, float16 or bfloat16");
}

}  // namespace siliconprof::cpu
