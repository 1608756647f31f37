#include "siliconprof/devices/buffer_cache.h"

#include <algorithm>

namespace siliconprof {
namespace {

constexpr std::int64_t kPage = 16384;
constexpr double kNearlyAll = 0.9;  // of what is kept

std::int64_t length(std::int64_t bytes) {
  return bytes <= kPage ? bytes : (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

BufferCache::Block BufferCache::allocate(std::int64_t bytes) {
  const std::int64_t size = length(bytes);
  Block block = take(size);
  if (block < 0) {
    const std::int64_t needed = reserved_bytes() + size;
    if (needed >= limits_.collect_bytes) release(needed - limits_.collect_bytes);
    block = sizes_.add(size);
  }
  allocated_bytes_ += sizes_[block];
  if (kept_bytes_ > limits_.most_bytes) release(kept_bytes_ - limits_.most_bytes);
  peak_allocated_bytes_ = std::max(peak_allocated_bytes_, allocated_bytes_);
  peak_reserved_bytes_ = std::max(peak_reserved_bytes_, reserved_bytes());
  return block;
}

void BufferCache::free(Block block) {
  const std::int64_t size = sizes_[block];
  allocated_bytes_ -= size;
  if (kept_bytes_ >= limits_.most_bytes) {
    sizes_.remove(block);
    return;
  }
  by_size_.insert({size, frees_});
  by_age_.emplace(frees_, block);
  ++frees_;
  kept_bytes_ += size;
}

void BufferCache::reset_peak() {
  peak_allocated_bytes_ = allocated_bytes_;
  peak_reserved_bytes_ = reserved_bytes();
}

BufferCache::Block BufferCache::take(std::int64_t bytes) {
  const auto found = by_size_.lower_bound({bytes, -1});
  if (found == by_size_.end() || found->first >= std::min(2 * bytes, bytes + 2 * kPage)) return -1;
  const auto place = by_age_.find(found->second);
  const Block block = place->second;
  kept_bytes_ -= found->first;
  by_age_.erase(place);
  by_size_.erase(found);
  return block;
}

void BufferCache::release(std::int64_t bytes) {
  const bool all = double(bytes) >= kNearlyAll * double(kept_bytes_);
  const std::int64_t kept = all ? 0 : kept_bytes_ - bytes;
  while (kept_bytes_ > kept) release_oldest();
}

void BufferCache::release_oldest() {
  const auto [freed, block] = *by_age_.begin();
  const std::int64_t size = sizes_[block];
  by_age_.erase(by_age_.begin());
  by_size_.erase({size, freed});
  kept_bytes_ -= size;
  sizes_.remove(block);
}

}  // namespace siliconprof
