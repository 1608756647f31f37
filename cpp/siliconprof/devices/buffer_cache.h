#pragma once

// MLX's allocator for Apple's GPUs: each buffer is Metal's own, and freed ones are kept for
// requests of nearly their size. [mlx-allocator] mlx/backend/metal/allocator.cpp and
// mlx/backend/common/buffer_cache.h.

#include <cstdint>
#include <vector>

#include "siliconprof/devices/numbered.h"

namespace siliconprof {

struct CacheLimits {
  std::int64_t collect_bytes = 0;  // what is out and what is kept, above which the oldest kept go
  std::int64_t most_bytes = 0;     // what may be kept; and be out, before MLX waits for the GPU

  bool operator==(const CacheLimits&) const = default;
};

/// Nothing is refused: beyond the limit MLX waits until what runs has ended, then goes on.
class BufferCache {
 public:
  using Block = std::int32_t;

  explicit BufferCache(const CacheLimits& limits) : limits_(limits) {}

  /// Whether a cache without limits, which held so much at most, did what one with them does.
  static bool is_within(const CacheLimits& limits, std::int64_t most_reserved_bytes);

  /// The smallest kept buffer of at least `bytes` that isn't much larger, or a new one.
  Block allocate(std::int64_t bytes);
  void free(Block block);

  /// mx.get_active_memory and mx.get_peak_memory.
  std::int64_t allocated_bytes() const { return allocated_bytes_; }
  std::int64_t peak_allocated_bytes() const { return peak_allocated_bytes_; }
  /// With what is kept, mx.get_cache_memory.
  std::int64_t reserved_bytes() const { return allocated_bytes_ + kept_bytes_; }
  std::int64_t peak_reserved_bytes() const { return peak_reserved_bytes_; }
  /// The peaks begin anew from what is out now.
  void reset_peak();
  static bool has_refused() { return false; }

 private:
  struct Buffer {
    std::int64_t bytes = 0;
    std::int64_t freed = 0;  // where it stands in freed_
  };
  // Kept buffers of one size, the oldest first.
  struct Kept {
    std::int64_t bytes = 0;
    std::vector<Block> blocks{};
    std::size_t taken = 0;  // how many of them are gone

    bool empty() const { return taken == blocks.size(); }
  };

  Block take(std::int64_t bytes);
  /// The first size of at least so many bytes.
  std::vector<Kept>::iterator find(std::int64_t bytes);
  /// The oldest of one size is kept no longer.
  Block take_oldest(Kept& kept);
  /// The oldest kept buffers go, until so many bytes have; all, where that would be most of them.
  void release(std::int64_t bytes);
  void release_oldest();

  CacheLimits limits_;
  Numbered<Buffer> buffers_;
  std::vector<Kept> kept_;       // by size; a step has few
  std::vector<Block> freed_;     // in order; -1: kept no longer
  std::size_t oldest_kept_ = 0;  // of them, or one before it
  std::int64_t allocated_bytes_ = 0;
  std::int64_t peak_allocated_bytes_ = 0;
  std::int64_t kept_bytes_ = 0;
  std::int64_t peak_reserved_bytes_ = 0;
};

}  // namespace siliconprof
