#include "siliconprof/devices/buffer_cache.h"

#include <algorithm>

#include "siliconprof/core/rounding.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kPage = 16384;
constexpr double kNearlyAll = 0.9;  // of what is kept

std::int64_t length(std::int64_t bytes) {
  return bytes <= kPage ? bytes : rounded_up(bytes, kPage);
}

}  // namespace

bool BufferCache::is_within(const CacheLimits& limits, std::int64_t most_reserved_bytes) {
  return most_reserved_bytes < std::min(limits.collect_bytes, limits.most_bytes);
}

BufferCache::Block BufferCache::allocate(std::int64_t bytes) {
  const std::int64_t size = length(bytes);
  Block block = take(size);
  if (block < 0) {
    const std::int64_t needed = reserved_bytes() + size;
    if (needed >= limits_.collect_bytes) release(needed - limits_.collect_bytes);
    block = buffers_.add({size, -1});
  }
  allocated_bytes_ += buffers_[block].bytes;
  if (kept_bytes_ > limits_.most_bytes) release(kept_bytes_ - limits_.most_bytes);
  peak_allocated_bytes_ = std::max(peak_allocated_bytes_, allocated_bytes_);
  peak_reserved_bytes_ = std::max(peak_reserved_bytes_, reserved_bytes());
  return block;
}

void BufferCache::free(Block block) {
  Buffer& buffer = buffers_[block];
  allocated_bytes_ -= buffer.bytes;
  if (kept_bytes_ >= limits_.most_bytes) {
    buffers_.remove(block);
    return;
  }
  buffer.freed = std::int64_t(freed_.size());
  freed_.push_back(block);
  auto its = find(buffer.bytes);
  if (its == kept_.end() || its->bytes != buffer.bytes) its = kept_.insert(its, {buffer.bytes});
  its->blocks.push_back(block);
  kept_bytes_ += buffer.bytes;
}

void BufferCache::reset_peak() {
  peak_allocated_bytes_ = allocated_bytes_;
  peak_reserved_bytes_ = reserved_bytes();
}

std::vector<BufferCache::Kept>::iterator BufferCache::find(std::int64_t bytes) {
  return std::lower_bound(kept_.begin(), kept_.end(), bytes,
                          [](const Kept& kept, std::int64_t least) { return kept.bytes < least; });
}

BufferCache::Block BufferCache::take(std::int64_t bytes) {
  const std::int64_t too_large = std::min(2 * bytes, bytes + 2 * kPage);
  for (auto its = find(bytes); its != kept_.end() && its->bytes < too_large; ++its) {
    if (!its->empty()) return take_oldest(*its);
  }
  return -1;
}

BufferCache::Block BufferCache::take_oldest(Kept& kept) {
  const Block block = kept.blocks[kept.taken++];
  if (kept.empty()) {
    kept.blocks.clear();
    kept.taken = 0;
  }
  kept_bytes_ -= kept.bytes;
  freed_[std::size_t(buffers_[block].freed)] = -1;
  return block;
}

void BufferCache::release(std::int64_t bytes) {
  const bool all = double(bytes) >= kNearlyAll * double(kept_bytes_);
  const std::int64_t kept = all ? 0 : kept_bytes_ - bytes;
  while (kept_bytes_ > kept) release_oldest();
}

void BufferCache::release_oldest() {
  while (freed_[oldest_kept_] < 0) ++oldest_kept_;
  // What is the oldest of all is the oldest of its size.
  buffers_.remove(take_oldest(*find(buffers_[freed_[oldest_kept_]].bytes)));
}

}  // namespace siliconprof
