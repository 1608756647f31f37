#pragma once

// Loops shared among OpenMP threads, products of libraries too (shared_products.h): one pool. Where
// the compiler has no OpenMP, and for ThreadSanitizer, which can follow their waiting, threads of
// the standard library: started anew for each loop, which costs tens of microseconds.

#include <algorithm>
#include <cstdint>

#include "siliconprof/core/rounding.h"
#include "siliconprof/core/thrown.h"

#if defined(_OPENMP)
#include <omp.h>
#else
#include <thread>
#include <vector>
#endif

namespace siliconprof::cpu {

#if defined(_OPENMP)
inline constexpr const char* kThreading = "openmp";
#else
inline constexpr const char* kThreading = "std";
#endif

/// Calls body(begin, end, thread) once per thread on contiguous shares of [0, n). Shares begin at
/// multiples of `grain`, and none is empty: fewer threads run when n has fewer grains. What a body
/// throws, as std::bad_alloc of a thread's own memory, is thrown on once all have ended.
template <class Body>
void parallel_shares(int threads, std::int64_t n, std::int64_t grain, const Body& body) {
  const std::int64_t grains = divided_up(n, grain);
  const auto team = std::min<std::int64_t>(threads, grains);
  if (n <= 0) return;
#if defined(_OPENMP)
  if (team > 1) {
    // Of all threads, also where some have nothing to do: GCC's runtime ends those that a smaller
    // team leaves out, and starting them again takes longer than most kernels do: a layer_norm of
    // 64 rows between products took 0.4 ms on 16 threads.
    Thrown thrown;
#pragma omp parallel num_threads(threads)
    {
      // The runtime may grant fewer threads than asked for.
      const std::int64_t granted = std::min<std::int64_t>(team, omp_get_num_threads());
      const std::int64_t t = omp_get_thread_num();
      const std::int64_t begin = grains * t / granted * grain;
      const std::int64_t end = std::min(n, grains * (t + 1) / granted * grain);
      if (begin < end) thrown.keep_of([&] { body(begin, end, int(t)); });
    }
    thrown.rethrow();
    return;
  }
#else
  Thrown thrown;
  const auto share = [&](std::int64_t t) {
    const std::int64_t begin = grains * t / team * grain;
    const std::int64_t end = std::min(n, grains * (t + 1) / team * grain);
    thrown.keep_of([&] { body(begin, end, int(t)); });
  };
  if (team > 1) {
    std::vector<std::thread> others;
    for (std::int64_t t = 1; t < team; ++t) others.emplace_back(share, t);
    share(0);
    for (std::thread& other : others) other.join();
    thrown.rethrow();
    return;
  }
#endif
  body(std::int64_t{0}, n, 0);
}

}  // namespace siliconprof::cpu
