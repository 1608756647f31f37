#pragma once

// Memory that a thread reuses from call to call: fresh memory costs a page fault for every 4 KiB,
// which would be measured as part of the kernel.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "siliconprof/core/tensor.h"

namespace siliconprof::cpu {

class Scratch {
 public:
  /// At least n floats, indeterminate; valid until the next call. Throws std::bad_alloc.
  float* floats(std::int64_t n) {
    if (n > capacity_) {
      // Freed first, so that the two never exist at once.
      capacity_ = 0;
      memory_ = Tensor();
      memory_ = Tensor(Dtype::Float32, Shape{n});
      capacity_ = n;
    }
    return memory_.view().as<float>();
  }

  /// At least n numbers of T, alike.
  template <class T>
  T* numbers(std::int64_t n) {
    constexpr std::int64_t kFloats = std::is_same_v<T, double> ? 2 : 1;
    return reinterpret_cast<T*>(floats(n * kFloats));
  }

  /// Gives back what is too large to keep between calls.
  void trim() {
    constexpr std::int64_t kKeptFloats = std::int64_t{64} << 20;
    if (capacity_ <= kKeptFloats) return;
    capacity_ = 0;
    memory_ = Tensor();
  }

 private:
  std::int64_t capacity_ = 0;
  Tensor memory_;
};

/// A thread's memory for the one kernel that it runs: what kernels need doesn't add up. Not for
/// helpers that a kernel calls while it uses this, nor for a signal's handler, which a poll may
/// run.
inline Scratch& kernel_scratch() {
  static thread_local Scratch scratch;
  return scratch;
}

/// What a kernel takes of it: of the thread that it is called on, of each other that it shares
/// with.
struct ScratchBytes {
  std::int64_t caller = 0;
  std::int64_t other = 0;
  bool operator==(const ScratchBytes&) const = default;
};

/// What either of two kernels takes.
inline ScratchBytes larger_of(const ScratchBytes& a, const ScratchBytes& b) {
  return {std::max(a.caller, b.caller), std::max(a.other, b.other)};
}

/// Of so many users of `each` bytes, the calling thread one of them, among all threads; those past
/// the threads come after others.
inline ScratchBytes shared_bytes(std::int64_t each, std::int64_t users, int threads) {
  const std::int64_t at_once = std::min<std::int64_t>(users, threads);
  return {each, threads > 1 ? each * (at_once - 1) / (threads - 1) : 0};
}

}  // namespace siliconprof::cpu
