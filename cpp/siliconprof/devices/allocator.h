#pragma once

// A caching allocator as PyTorch has one for CUDA: sizes are rounded, memory comes from the device
// in segments, freed blocks are kept, cut and merged. Nothing is returned to the device.
// [torch-allocator] pytorch c10/cuda/CUDACachingAllocator.cpp, at its defaults.

#include <cstdint>

#include "siliconprof/devices/free_parts.h"
#include "siliconprof/devices/numbered.h"

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
  /// All segments; there is no way down.
  std::int64_t reserved_bytes() const { return reserved_bytes_; }
  std::int64_t peak_reserved_bytes() const { return reserved_bytes_; }
  /// What the device holds is no concern of it.
  static bool has_refused() { return false; }
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
  FreeParts& free_parts(bool small) { return small ? small_ : large_; }

  Block take(bool small, std::int64_t bytes);
  Block new_segment(bool small, std::int64_t bytes);
  void cut(Block block, std::int64_t bytes);
  void cache(Block block);
  void uncache(Block block);
  /// Takes `after` into `block`.
  void merge(Block block, Block after);

  Numbered<Part> parts_;
  FreeParts small_;
  FreeParts large_;
  std::int64_t next_address_ = 0;
  std::int64_t allocated_bytes_ = 0;
  std::int64_t peak_allocated_bytes_ = 0;
  std::int64_t reserved_bytes_ = 0;
};

}  // namespace siliconprof
