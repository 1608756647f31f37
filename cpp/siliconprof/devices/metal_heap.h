#pragma once

// A stretch of a GPU's memory that buffers are cut from (MTLHeap).

#include <cstdint>
#include <map>

namespace siliconprof {

/// Metal does not say where in a heap it puts a buffer: here it is the first gap that is wide
/// enough.
class MetalHeap {
 public:
  explicit MetalHeap(std::int64_t bytes) : bytes_(bytes), available_(bytes), gaps_{{0, bytes}} {}

  std::int64_t bytes() const { return bytes_; }
  bool is_empty() const { return buffers_ == 0; }
  /// The largest buffer that would fit, begun at a page.
  std::int64_t available_bytes() const { return available_; }

  /// Where the buffer begins. `bytes` is no more than available.
  std::int64_t take(std::int64_t bytes);
  /// Gives back what `take` has put at `begin`.
  void give_back(std::int64_t begin, std::int64_t bytes);

 private:
  void find_available();

  std::int64_t bytes_;
  std::int64_t available_;
  std::map<std::int64_t, std::int64_t> gaps_;  // begin to end, none touches another
  int buffers_ = 0;
};

}  // namespace siliconprof
