#include "siliconprof/core/uniform_values.h"

#include <algorithm>
#include <cmath>

#include "siliconprof/core/error.h"
#include "siliconprof/core/half.h"

namespace siliconprof {
namespace {

#include "siliconprof/core/splitmix64.inc"

// A counter-based generator: element i, from 0, depends on seed and i alone.
double uniform_at(std::uint64_t seed, std::uint64_t i) {
  return double(splitmix64(seed, i + 1) >> 11) * 0x1p-52 - 1.0;
}

constexpr std::int64_t kElementsBetweenPolls = std::int64_t{1} << 22;  // some 10 ms

[[noreturn]] void refuse_indices() {
  throw DtypeError("[tensor] dtype is int32; needed: a format to compute in, as float32");
}

template <class T>
void fill(T* data, std::int64_t n, std::uint64_t seed, const Poll& poll, T most) {
  for (std::int64_t begin = 0; begin < n; begin += kElementsBetweenPolls) {
    const std::int64_t end = std::min(n, begin + kElementsBetweenPolls);
    for (std::int64_t i = begin; i < end; ++i) {
      const T value = T(float(uniform_at(seed, std::uint64_t(i))));
      data[i] = value > most ? most : value;
    }
    if (poll) poll();
  }
}

}  // namespace

float largest_below_one(Dtype dtype) {
  if (dtype == Dtype::Int32) refuse_indices();
  const int digits = dtype == Dtype::Float16 ? 11 : dtype == Dtype::BFloat16 ? 8 : 24;
  return 1.0F - std::ldexp(1.0F, -digits);
}

void fill_uniform(const TensorView& view, std::uint64_t seed, const Poll& poll) {
  const std::int64_t n = view.elements();
  const float most = largest_below_one(view.dtype);
  switch (view.dtype) {
    case Dtype::Float64:
      return fill(view.as<double>(), n, seed, poll, double(most));
    case Dtype::Float32:
    case Dtype::Tf32:
      return fill(view.as<float>(), n, seed, poll, most);
    case Dtype::Float16:
      return fill(view.as<float16>(), n, seed, poll, float16(most));
    case Dtype::BFloat16:
      return fill(view.as<bfloat16>(), n, seed, poll, bfloat16(most));
    case Dtype::Int32:
      refuse_indices();
  }
}

void fill_indices(const TensorView& view, std::int64_t limit, std::uint64_t seed) {
  auto* data = view.as<std::int32_t>();
  for (std::int64_t i = 0; i < view.elements(); ++i) {
    const double uniform = 0.5 + 0.5 * uniform_at(seed, std::uint64_t(i));
    data[i] = std::int32_t(std::min(double(limit - 1), std::floor(uniform * double(limit))));
  }
}

}  // namespace siliconprof
