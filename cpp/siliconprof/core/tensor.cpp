#include "siliconprof/core/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>

#include "siliconprof/core/checked.h"
#include "siliconprof/core/error.h"
#include "siliconprof/core/half.h"
#include "siliconprof/core/huge_pages.h"

namespace siliconprof {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

// A counter-based generator: element i depends on seed and i alone (the splitmix64 finaliser).
double uniform_at(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return double(z >> 11) * 0x1p-52 - 1.0;
}

constexpr std::int64_t kElementsBetweenPolls = std::int64_t{1} << 22;  // some 10 ms

template <class T>
void fill(T* data, std::int64_t n, std::uint64_t seed, const Poll& poll) {
  for (std::int64_t begin = 0; begin < n; begin += kElementsBetweenPolls) {
    const std::int64_t end = std::min(n, begin + kElementsBetweenPolls);
    for (std::int64_t i = begin; i < end; ++i) {
      data[i] = T(float(uniform_at(seed, std::uint64_t(i))));
    }
    if (poll) poll();
  }
}

}  // namespace

Tensor::Tensor(Dtype dtype, const Shape& shape) : view_{nullptr, dtype, shape} {
  const std::array<std::int64_t, 2> sizes{shape.elements(), size_bytes(dtype)};
  const auto bytes = std::size_t(checked_product("tensor", sizes));
  const std::size_t alignment = bytes >= kHugePage ? kHugePage : kTensorAlignment;
  // aligned_alloc wants a multiple of the alignment, and a null for size 0 would look like failure.
  const std::size_t rounded = (bytes / alignment + 1) * alignment;
  memory_.reset(std::aligned_alloc(alignment, rounded));
  if (!memory_) throw std::bad_alloc();
  if (alignment == kHugePage) ask_for_huge_pages(memory_.get(), rounded);
  view_.data = memory_.get();
}

void Tensor::Free::operator()(void* memory) const { std::free(memory); }

void Tensor::fill_uniform(std::uint64_t seed, const Poll& poll) {
  const std::int64_t n = view_.elements();
  switch (view_.dtype) {
    case Dtype::Float64:
      return fill(view_.as<double>(), n, seed, poll);
    case Dtype::Float32:
    case Dtype::Tf32:
      return fill(view_.as<float>(), n, seed, poll);
    case Dtype::Float16:
      return fill(view_.as<float16>(), n, seed, poll);
    case Dtype::BFloat16:
      return fill(view_.as<bfloat16>(), n, seed, poll);
    case Dtype::Int32:
      break;
  }
  throw DtypeError("[tensor] dtype is int32; needed: a format to compute in, as float32");
}

void Tensor::fill_indices(std::int64_t limit, std::uint64_t seed) {
  auto* data = view_.as<std::int32_t>();
  for (std::int64_t i = 0; i < view_.elements(); ++i) {
    const double uniform = 0.5 + 0.5 * uniform_at(seed, std::uint64_t(i));
    data[i] = std::int32_t(std::min(double(limit - 1), std::floor(uniform * double(limit))));
  }
}

}  // namespace siliconprof
