#pragma once

// Work that threads share without waiting for each other before all is done. The calling thread
// polls between pieces of its own; what poll throws ends the work, with pieces left out, and is
// thrown on, as is what a body throws.

#include <algorithm>
#include <atomic>

#include "siliconprof/core/rounding.h"
#include "siliconprof/core/thrown.h"
#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/parallel.h"

namespace siliconprof::cpu {

/// A poll that other threads learn of when it throws, as of a body that does.
class SharedPoll {
 public:
  explicit SharedPoll(const Poll& poll) : poll_(poll) {}
  bool stopped() const { return thrown_.any(); }
  /// On the calling thread alone.
  void poll() {
    if (poll_) thrown_.keep_of(poll_);
  }
  template <class Body>
  void keep_of(const Body& body) {
    thrown_.keep_of(body);
  }
  /// Once the threads have ended.
  void rethrow() const { thrown_.rethrow(); }

 private:
  const Poll& poll_;
  Thrown thrown_;
};

/// Calls body(begin, end) on pieces of [0, n) that begin at multiples of `piece`, each once, by the
/// thread that is free: one that was held up takes fewer.
template <class Body>
void take_turns(int threads, const Poll& poll, std::int64_t n, std::int64_t piece,
                std::int64_t pieces_between_polls, const Body& body) {
  SharedPoll shared(poll);
  std::atomic<std::int64_t> next{0};
  const std::int64_t team = std::min<std::int64_t>(threads, divided_up(n, piece));
  parallel_shares(threads, team, 1, [&](std::int64_t, std::int64_t, int thread) {
    for (std::int64_t done = 1; !shared.stopped(); ++done) {
      const std::int64_t begin = next.fetch_add(piece, std::memory_order_relaxed);
      if (begin >= n) break;
      shared.keep_of([&] { body(begin, std::min(n, begin + piece)); });
      if (thread == 0 && done % pieces_between_polls == 0) shared.poll();
    }
  });
  shared.rethrow();
}

/// The same with one share of [0, n) for each thread, at multiples of `grain`, cut for polls alone.
template <class Body>
void keep_shares(int threads, const Poll& poll, std::int64_t n, std::int64_t grain,
                 std::int64_t piece, const Body& body) {
  SharedPoll shared(poll);
  parallel_shares(threads, n, grain, [&](std::int64_t begin, std::int64_t end, int thread) {
    for (; begin < end && !shared.stopped(); begin += piece) {
      shared.keep_of([&] { body(begin, std::min(end, begin + piece)); });
      if (thread == 0 && begin + piece < end) shared.poll();
    }
  });
  shared.rethrow();
}

}  // namespace siliconprof::cpu
