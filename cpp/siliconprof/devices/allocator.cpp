#include "siliconprof/devices/allocator.h"

#include <algorithm>

#include "siliconprof/core/rounding.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kRounding = 512;
constexpr std::int64_t kLargestSmall = kMiB;
constexpr std::int64_t kSmallSegment = 2 * kMiB;
constexpr std::int64_t kLargeSegment = 20 * kMiB;
constexpr std::int64_t kLeastOfOwn = 10 * kMiB;  // from here on a segment of its own
constexpr std::int64_t kSegmentRounding = 2 * kMiB;

std::int64_t segment_bytes(std::int64_t bytes) {
  if (bytes <= kLargestSmall) return kSmallSegment;
  return bytes < kLeastOfOwn ? kLargeSegment : rounded_up(bytes, kSegmentRounding);
}

// A rest that is too small to be cut off stays with its block.
bool is_worth_cutting(bool small, std::int64_t rest) {
  return small ? rest >= kRounding : rest > kLargestSmall;
}

}  // namespace

CachingAllocator::Block CachingAllocator::allocate(std::int64_t bytes) {
  const std::int64_t size = std::max(rounded_up(bytes, kRounding), kRounding);
  const bool small = size <= kLargestSmall;
  Block block = take(small, size);
  if (block < 0) block = new_segment(small, segment_bytes(size));
  cut(block, size);
  allocated_bytes_ += parts_[block].bytes;
  peak_allocated_bytes_ = std::max(peak_allocated_bytes_, allocated_bytes_);
  return block;
}

void CachingAllocator::free(Block block) {
  allocated_bytes_ -= parts_[block].bytes;
  const Block after = parts_[block].after;
  if (after >= 0 && parts_[after].is_free) {
    uncache(after);
    merge(block, after);
  }
  const Block before = parts_[block].before;
  if (before >= 0 && parts_[before].is_free) {
    uncache(before);
    merge(before, block);
    block = before;
  }
  cache(block);
}

CachingAllocator::Block CachingAllocator::take(bool small, std::int64_t bytes) {
  const auto found = free_parts(small).take(bytes);
  if (!found) return -1;
  parts_[found->number].is_free = false;
  return found->number;
}

CachingAllocator::Block CachingAllocator::new_segment(bool small, std::int64_t bytes) {
  const Block block = parts_.add({next_address_, bytes, -1, -1, small, false});
  next_address_ += bytes;
  reserved_bytes_ += bytes;
  return block;
}

void CachingAllocator::cut(Block block, std::int64_t bytes) {
  const Part whole = parts_[block];
  if (!is_worth_cutting(whole.small, whole.bytes - bytes)) return;
  const Block rest = parts_.add(
      {whole.address + bytes, whole.bytes - bytes, block, whole.after, whole.small, false});
  if (whole.after >= 0) parts_[whole.after].before = rest;
  parts_[block].bytes = bytes;
  parts_[block].after = rest;
  cache(rest);
}

void CachingAllocator::cache(Block block) {
  Part& part = parts_[block];
  part.is_free = true;
  free_parts(part.small).insert({part.bytes, part.address, block});
}

void CachingAllocator::uncache(Block block) {
  Part& part = parts_[block];
  part.is_free = false;
  free_parts(part.small).erase({part.bytes, part.address, block});
}

void CachingAllocator::merge(Block block, Block after) {
  Part& part = parts_[block];
  const Part& gone = parts_[after];
  part.bytes += gone.bytes;
  part.after = gone.after;
  if (gone.after >= 0) parts_[gone.after].before = block;
  parts_.remove(after);
}

}  // namespace siliconprof
