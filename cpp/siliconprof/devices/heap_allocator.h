#pragma once

// The allocator of PyTorch for Apple's GPUs: buffers are cut from heaps of a few sizes and kept
// when they are freed. [mps-allocator] pytorch aten/src/ATen/mps/MPSAllocator.h and .mm.

#include <cstdint>
#include <utility>
#include <vector>

#include "siliconprof/devices/flat_set.h"
#include "siliconprof/devices/metal_heap.h"
#include "siliconprof/devices/numbered.h"

namespace siliconprof {

/// Of the heaps together, in bytes.
struct Watermarks {
  std::int64_t low_bytes = 0;   // from here on cached buffers are given up, the oldest first
  std::int64_t high_bytes = 0;  // above, requests are refused

  bool operator==(const Watermarks&) const = default;
};

/// Every freed buffer counts as one that the GPU is done with; what other frameworks or Metal
/// itself take of the memory isn't seen.
class HeapAllocator {
 public:
  using Block = std::int32_t;

  explicit HeapAllocator(const Watermarks& marks) : marks_(marks) {}

  /// Whether an allocator without marks, which reserved so much at most for requests of so many
  /// bytes and less, did what one with them does.
  static bool is_within(const Watermarks& marks, std::int64_t most_reserved_bytes,
                        std::int64_t largest_request_bytes);

  /// A cached buffer, one from a heap with room, or one from a new heap. Where the high watermark
  /// leaves none, cached buffers go; where that doesn't help, it refuses, and gives one anyway.
  Block allocate(std::int64_t bytes);
  void free(Block block);

  /// Sizes of the buffers that are out, with what rounding and reuse of larger ones add.
  std::int64_t allocated_bytes() const { return allocated_bytes_; }
  std::int64_t peak_allocated_bytes() const { return peak_allocated_bytes_; }
  /// All heaps.
  std::int64_t reserved_bytes() const { return reserved_bytes_; }
  std::int64_t peak_reserved_bytes() const { return peak_reserved_bytes_; }
  /// The peaks begin anew from what is out now.
  void reset_peak();
  bool has_refused() const { return has_refused_; }

 private:
  using Order = FlatSet<std::pair<std::int64_t, std::int32_t>>;  // by size, then number
  struct Buffer {
    std::int64_t bytes = 0;
    std::int64_t begin = 0;
    std::int32_t heap = -1;
    std::int64_t freed_at = 0;  // of the pool's searches
  };
  struct Pool {
    bool is_small = false;
    Order buffers;  // cached
    Order heaps;    // by the largest buffer that fits
    std::int64_t cached_bytes = 0;
    std::int64_t searches = 0;
  };
  struct Heap {
    MetalHeap room;
    std::int32_t pool;
    bool is_split;
  };

  Block take_cached(Pool& pool, std::int64_t bytes, bool& under_pressure);
  Block cut(std::int32_t pool, std::int64_t bytes, bool under_pressure, bool is_forced);
  std::int32_t find_heap(std::int32_t pool, std::int64_t bytes, bool under_pressure);
  void collect(Pool& pool);
  /// True where as many bytes were released as are asked for.
  bool release_some(Pool& pool, std::int64_t bytes);
  void release_all();
  void release(Block block, bool with_its_heap);
  void order_heap(std::int32_t heap, bool is_listed);

  Watermarks marks_;
  std::vector<Pool> pools_{{true, {}, {}}, {true, {}, {}}, {false, {}, {}}};
  std::vector<Heap> heaps_;
  Numbered<Buffer> buffers_;
  std::int64_t allocated_bytes_ = 0;
  std::int64_t peak_allocated_bytes_ = 0;
  std::int64_t reserved_bytes_ = 0;
  std::int64_t peak_reserved_bytes_ = 0;
  bool has_refused_ = false;
};

}  // namespace siliconprof
