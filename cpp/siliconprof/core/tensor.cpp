#include "siliconprof/core/tensor.h"

#include <cstdlib>
#include <new>

#include "siliconprof/core/checked.h"
#include "siliconprof/core/huge_pages.h"
#include "siliconprof/core/uniform_values.h"

namespace siliconprof {
Tensor::Tensor(Dtype dtype, const Shape& shape) : view_{nullptr, dtype, shape} {
  const std::array<std::int64_t, 2> sizes{shape.elements(), size_bytes(dtype)};
  const auto bytes = std::size_t(checked_product("tensor", sizes));
  const std::size_t alignment = bytes >= kHugePageBytes ? kHugePageBytes : kTensorAlignment;
  // aligned_alloc wants a multiple of the alignment, and a null for size 0 would look like failure.
  const std::size_t rounded = (bytes / alignment + 1) * alignment;
  memory_.reset(std::aligned_alloc(alignment, rounded));
  if (!memory_) throw std::bad_alloc();
  if (alignment == kHugePageBytes) ask_for_huge_pages(memory_.get(), rounded);
  view_.data = memory_.get();
}

void Tensor::Free::operator()(void* memory) const { std::free(memory); }

void Tensor::fill_uniform(std::uint64_t seed, const Poll& poll) {
  siliconprof::fill_uniform(view_, seed, poll);
}

void Tensor::fill_indices(std::int64_t limit, std::uint64_t seed) {
  siliconprof::fill_indices(view_, limit, seed);
}

}  // namespace siliconprof
