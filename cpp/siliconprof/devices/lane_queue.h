#pragma once

// The queue of queue.h walked once for each assumption on what its numbers are off by, side by
// side: each lane waits for its own last kernel alone, so vectors of them cost little more than
// one. A sweep spends most of its time here.

#include <cstddef>
#include <cstdint>
#include <span>

#include "siliconprof/devices/offload_walks.h"

namespace siliconprof {

/// A number of each lane, in the 128-bit vectors that every CPU here has; a lane may be unused.
class LaneVector {
 public:
  LaneVector() = default;
  explicit LaneVector(const Lanes& lanes);
  Lanes lanes() const;

  LaneVector operator+(const LaneVector& other) const {
    LaneVector sum;
    for (std::size_t i = 0; i < kPairs; ++i) sum.pairs_[i] = pairs_[i] + other.pairs_[i];
    return sum;
  }
  LaneVector operator*(double factor) const {
    LaneVector product;
    for (std::size_t i = 0; i < kPairs; ++i) product.pairs_[i] = pairs_[i] * factor;
    return product;
  }
  /// Of each lane, the larger.
  friend LaneVector larger(const LaneVector& a, const LaneVector& b) {
    return where_less(a, b, b, a);
  }
  /// Of each lane, `then` where a < b, or else `otherwise`.
  friend LaneVector where_less(const LaneVector& a, const LaneVector& b, const LaneVector& then,
                               const LaneVector& otherwise) {
    LaneVector found;
    for (std::size_t i = 0; i < kPairs; ++i) {
      found.pairs_[i] = a.pairs_[i] < b.pairs_[i] ? then.pairs_[i] : otherwise.pairs_[i];
    }
    return found;
  }

 private:
  using Pair = double __attribute__((vector_size(16)));
  static constexpr std::size_t kPairs = (kLanes + 1) / 2;
  Pair pairs_[kPairs]{};
};

/// Of a kernel, in every lane.
struct LaneKernel {
  LaneVector issue_s;
  LaneVector kernel_s;
};

class LaneQueue {
 public:
  /// As Queue.
  explicit LaneQueue(bool asynchronous) : asynchronous_(asynchronous) {}

  /// The host works for as long, and issues nothing meanwhile.
  void work(const LaneVector& seconds) {
    if (!asynchronous_) wait();
    host_s_ = host_s_ + seconds;
  }
  void wait() { host_s_ = larger(host_s_, device_s_); }
  /// Kernels one after the other, each by its place in `kernels`.
  void run(std::span<const std::int32_t> order, std::span<const LaneKernel> kernels);
  /// When the last one has ended.
  Lanes end_s() const { return device_s_.lanes(); }

 private:
  bool asynchronous_;
  LaneVector host_s_;
  LaneVector device_s_;
};

}  // namespace siliconprof
