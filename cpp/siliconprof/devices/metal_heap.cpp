#include "siliconprof/devices/metal_heap.h"

#include <algorithm>

#include "siliconprof/core/rounding.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kPage = 16384;

}  // namespace

std::int64_t MetalHeap::take(std::int64_t bytes) {
  const auto gap = std::find_if(gaps_.begin(), gaps_.end(),
                                [&](const auto& g) { return g.second - g.first >= bytes; });
  const std::int64_t begin = gap->first;
  const std::int64_t end = gap->second;
  gaps_.erase(gap);
  if (begin + bytes < end) gaps_.emplace(begin + bytes, end);
  ++buffers_;
  find_available();
  return begin;
}

void MetalHeap::give_back(std::int64_t begin, std::int64_t bytes) {
  std::int64_t end = begin + bytes;
  auto after = gaps_.lower_bound(begin);
  if (after != gaps_.end() && after->first == end) {
    end = after->second;
    after = gaps_.erase(after);
  }
  if (after != gaps_.begin() && std::prev(after)->second == begin) {
    std::prev(after)->second = end;
  } else {
    gaps_.emplace(begin, end);
  }
  --buffers_;
  find_available();
}

void MetalHeap::find_available() {
  available_ = 0;
  for (const auto& [begin, end] : gaps_) {
    const std::int64_t page = rounded_up(begin, kPage);
    available_ = std::max(available_, end - page);
  }
}

}  // namespace siliconprof
