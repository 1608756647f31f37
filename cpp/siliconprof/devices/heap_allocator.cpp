#include "siliconprof/devices/heap_allocator.h"

#include <algorithm>

#include "siliconprof/core/rounding.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kRounding = 256;  // of buffers in a heap [mlx-allocator]
constexpr std::int64_t kLargestScalar = 8;
constexpr std::int64_t kLargestSmall = kMiB;
constexpr std::int64_t kSmallHeap = 8 * kMiB;
constexpr std::int64_t kLeastOfExtraLarge = 10 * kMiB;
constexpr std::int64_t kLargeHeap = 32 * kMiB;
constexpr std::int64_t kExtraLargeHeap = 1024 * kMiB;
constexpr std::int64_t kHeapRounding = 2 * kMiB;  // of heaps for one buffer
constexpr std::int64_t kMostSpare = kLargeHeap;   // that a cached buffer may have

std::int64_t buffer_bytes(std::int64_t requested) {
  return std::max(rounded_up(requested, kRounding), kRounding);
}

/// In whole MiB, as the watermark is asked for.
bool is_at(std::int64_t mark_bytes, std::int64_t reserved_bytes) {
  return (mark_bytes - reserved_bytes) / kMiB <= 0;
}

/// Scalars, small and large buffers.
std::int32_t pool_of(std::int64_t requested, std::int64_t bytes) {
  if (requested <= kLargestScalar) return 0;
  return bytes <= kLargestSmall ? 1 : 2;
}

bool has_heap_of_its_own(std::int64_t bytes, bool under_pressure) {
  return bytes >= kLeastOfExtraLarge && (bytes >= kExtraLargeHeap / 2 || under_pressure);
}

std::int64_t heap_bytes(std::int64_t bytes, bool under_pressure) {
  if (bytes <= kLargestSmall) return kSmallHeap;
  if (bytes < kLeastOfExtraLarge) return kLargeHeap;
  return has_heap_of_its_own(bytes, under_pressure) ? rounded_up(bytes, kHeapRounding)
                                                    : kExtraLargeHeap;
}

}  // namespace

bool HeapAllocator::is_within(const Watermarks& marks, std::int64_t most_reserved_bytes,
                              std::int64_t largest_request_bytes) {
  // A request is refused by what is reserved, also where a kept buffer would have served it.
  return !is_at(marks.low_bytes, most_reserved_bytes) &&
         most_reserved_bytes + buffer_bytes(largest_request_bytes) <= marks.high_bytes;
}

HeapAllocator::Block HeapAllocator::allocate(std::int64_t requested) {
  const std::int64_t bytes = buffer_bytes(requested);
  const std::int32_t number = pool_of(requested, bytes);
  Pool& pool = pools_[std::size_t(number)];
  bool under_pressure = !pool.is_small && is_at(marks_.low_bytes, reserved_bytes_);
  Block block = take_cached(pool, bytes, under_pressure);
  if (block < 0) {
    if (under_pressure && bytes < pool.cached_bytes) collect(pool);
    block = cut(number, bytes, under_pressure, false);
  }
  if (block < 0 && release_some(pool, bytes)) block = cut(number, bytes, under_pressure, false);
  if (block < 0) {
    release_all();
    block = cut(number, bytes, under_pressure, false);
  }
  if (block < 0) {
    has_refused_ = true;
    block = cut(number, bytes, under_pressure, true);
  }
  allocated_bytes_ += buffers_[block].bytes;
  peak_allocated_bytes_ = std::max(peak_allocated_bytes_, allocated_bytes_);
  return block;
}

void HeapAllocator::free(Block block) {
  Buffer& buffer = buffers_[block];
  Pool& pool = pools_[std::size_t(heaps_[std::size_t(buffer.heap)].pool)];
  pool.buffers.insert({buffer.bytes, block});
  pool.cached_bytes += buffer.bytes;
  buffer.freed_at = pool.searches;
  allocated_bytes_ -= buffer.bytes;
}

void HeapAllocator::reset_peak() {
  peak_allocated_bytes_ = allocated_bytes_;
  peak_reserved_bytes_ = reserved_bytes_;
}

// One that is far too large serves only where the pool's heaps have no room: then it is cut anew.
HeapAllocator::Block HeapAllocator::take_cached(Pool& pool, std::int64_t bytes,
                                                bool& under_pressure) {
  if (!has_refused_ && reserved_bytes_ + bytes > marks_.high_bytes) return -1;
  ++pool.searches;
  const auto found = pool.buffers.lower_bound({bytes, -1});
  if (found == pool.buffers.end()) return -1;
  const Block block = found->second;
  if (found->first > bytes + kMostSpare) {
    if (pool.heaps.lower_bound({bytes, -1}) == pool.heaps.end()) {
      release(block, false);
      under_pressure = false;
    }
    return -1;
  }
  pool.cached_bytes -= found->first;
  pool.buffers.erase(found);
  return block;
}

HeapAllocator::Block HeapAllocator::cut(std::int32_t pool, std::int64_t bytes, bool under_pressure,
                                        bool is_forced) {
  if (!is_forced && !has_refused_ && reserved_bytes_ + bytes > marks_.high_bytes) return -1;
  const std::int32_t number = find_heap(pool, bytes, under_pressure);
  Heap& heap = heaps_[std::size_t(number)];
  const Buffer made{bytes, heap.room.take(bytes), number, 0};
  order_heap(number, true);
  return buffers_.add(made);
}

/// Taken off its pool's list.
std::int32_t HeapAllocator::find_heap(std::int32_t pool, std::int64_t bytes, bool under_pressure) {
  Order& heaps = pools_[std::size_t(pool)].heaps;
  const auto found = heaps.lower_bound({bytes, -1});
  if (found != heaps.end()) {
    const std::int32_t number = found->second;
    heaps.erase(found);
    return number;
  }
  const std::int64_t size = heap_bytes(bytes, under_pressure);
  heaps_.push_back({MetalHeap(size), pool, !has_heap_of_its_own(bytes, under_pressure)});
  reserved_bytes_ += size;
  peak_reserved_bytes_ = std::max(peak_reserved_bytes_, reserved_bytes_);
  return std::int32_t(heaps_.size()) - 1;
}

// Buffers of at least the mean age go, the small ones first, until the low watermark is reached.
void HeapAllocator::collect(Pool& pool) {
  const std::int64_t wanted = reserved_bytes_ - marks_.low_bytes;
  if (wanted < 0) return;
  const auto age = [&](Block block) { return double(pool.searches - buffers_[block].freed_at); };
  double ages = 0.0;
  for (const auto& [bytes, block] : pool.buffers) ages += age(block);
  std::int64_t released = 0;
  bool goes_on = true;
  while (released < wanted && goes_on && !pool.buffers.empty()) {
    const double mean = ages / double(pool.buffers.size());
    goes_on = false;
    for (std::size_t next = 0; next < pool.buffers.size() && released < wanted;) {
      const auto [bytes, block] = pool.buffers[next];
      if (age(block) < mean) {
        ++next;
        continue;
      }
      goes_on = true;
      released += bytes;
      ages -= age(block);
      // The one after it takes its place.
      release(block, !heaps_[std::size_t(buffers_[block].heap)].is_split);
    }
  }
}

bool HeapAllocator::release_some(Pool& pool, std::int64_t bytes) {
  const auto fitting = pool.buffers.lower_bound({bytes, -1});
  if (fitting != pool.buffers.end()) {
    release(fitting->second, true);
    return true;
  }
  std::int64_t released = 0;
  while (released < bytes && !pool.buffers.empty()) {
    const auto [largest, block] = pool.buffers.back();
    released += largest;
    release(block, true);
  }
  return released >= bytes;
}

void HeapAllocator::release_all() {
  for (Pool& pool : pools_) {
    while (!pool.buffers.empty()) release(pool.buffers.begin()->second, true);
  }
}

void HeapAllocator::release(Block block, bool with_its_heap) {
  const Buffer buffer = buffers_[block];
  Heap& heap = heaps_[std::size_t(buffer.heap)];
  Pool& pool = pools_[std::size_t(heap.pool)];
  pool.buffers.erase({buffer.bytes, block});
  pool.cached_bytes -= buffer.bytes;
  order_heap(buffer.heap, false);
  heap.room.give_back(buffer.begin, buffer.bytes);
  buffers_.remove(block);
  if (with_its_heap && heap.room.is_empty()) {
    reserved_bytes_ -= heap.room.bytes();
  } else {
    order_heap(buffer.heap, true);
  }
}

void HeapAllocator::order_heap(std::int32_t heap, bool is_listed) {
  const Heap& its = heaps_[std::size_t(heap)];
  Order& heaps = pools_[std::size_t(its.pool)].heaps;
  if (is_listed) {
    heaps.insert({its.room.available_bytes(), heap});
  } else {
    heaps.erase({its.room.available_bytes(), heap});
  }
}

}  // namespace siliconprof
