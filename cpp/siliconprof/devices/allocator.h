#pragma once

// A caching allocator as PyTorch has one for CUDA: sizes are rounded, memory comes from the device
// in segments, freed blocks are kept, cut and merged. Nothing is returned to the device.
// [torch-allocator] pytorch c10/cuda/CUDACachingAllocator.cpp, at its defaults.

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace siliconprof {

class CachingAllocator {
 public:
  using Block = std::int32_t;

  /// The smallest cached block that holds `bytes`, cut where enough is left, or a new segment.
  Block allocate(std::int64_t bytes);
  /// Gives back a block that `allocate` returned and merges it with free neighbours.
  void free(Block block);

  /// Sizes of the blocks that are out, with what rounding and uncut rests add.
  std::int64_t allocated_bytes() const { return allocated_bytes_; }
  std::int64_t peak_allocated_bytes() const { return peak_allocated_bytes_; }
  /// All segments.
  std::int64_t reserved_bytes() const { return reserved_bytes_; }
  /// The peak begins anew from what is out now.
  void reset_peak() { peak_allocated_bytes_ = allocated_bytes_; }

 private:
  struct Part {
    std::int64_t address = 0;
    std::int64_t bytes = 0;
    Block before = -1;  // neighbours in the segment
    Block after = -1;
    bool small = false;
    bool is_free = false;
  };
  using Order = std::set<std::pair<std::pair<std::int64_t, std::int64_t>, Block>>;

  Block take(bool small, std::int64_t bytes);
  Block new_segment(bool small, std::int64_t bytes);
  void cut(Block block, std::int64_t bytes);
  void cache(Block block);
  void uncache(Block block);
  /// Takes `after` into `block`.
  void merge(Block block, Block after);
  Block new_part(const Part& part);

  std::vector<Part> parts_;
  std::vector<Block> unused_;  // numbers of parts that were merged away
  Order small_;                // free parts by size, then address
  Order large_;
  std::int64_t next_address_ = 0;
  std::int64_t allocated_bytes_ = 0;
  std::int64_t peak_allocated_bytes_ = 0;
  std::int64_t reserved_bytes_ = 0;
};

/// Memory that a step asks for while call number `first` begins and gives back after `last`.
struct Allocation {
  std::int64_t bytes = 0;
  std::int32_t first = 0;
  std::int32_t last = 0;
  bool lasting = false;  // asked for in the first step alone and never given back

  bool operator==(const Allocation&) const = default;
};

struct AllocatorPeaks {
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = 0;

  bool operator==(const AllocatorPeaks&) const = default;
};

/// Runs a step of so many calls twice; the peaks of the second, which finds the cache filled.
/// Allocations of one call are made in their order; those that it ends are freed after it.
AllocatorPeaks replay(std::span<const Allocation> allocations, std::int32_t calls);

}  // namespace siliconprof
