#pragma once

// How kernels that compute share their work: among threads, and between polls.

#include <algorithm>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/turns.h"

namespace siliconprof::cpu {

// 50 ms between polls on a core with 128-bit vectors.
inline constexpr double kFlopsBetweenPolls = 1e9;
// One thread alone below this; starting a team costs as much.
inline constexpr double kGrainFlops = 5e5;

/// Rows that decide how long a product takes: it takes as long to read B as to multiply it by so
/// many.
inline std::int64_t paced_rows(std::int64_t rows) {
  constexpr std::int64_t kRowsOfReading = 8;
  return std::max(rows, kRowsOfReading);
}

/// Terms that decide how long it takes: results of fewer take as long to write.
inline std::int64_t paced_terms(std::int64_t terms) {
  constexpr std::int64_t kTermsOfAWrite = 8;
  return std::max(terms, kTermsOfAWrite);
}

/// Polls on the calling thread after so many flops; false once a poll has thrown.
struct Pacer {
  SharedPoll& shared;
  int thread;
  double flops = 0;

  bool is_due(double more) const { return thread == 0 && flops + more >= kFlopsBetweenPolls; }
  bool operator()(double more) {
    if (is_due(more)) {
      flops = 0;
      shared.poll();
    } else {
      flops += more;
    }
    return !shared.stopped();
  }
};

/// Calls body(begin, end) on shares of [0, n) that take `flops_each` an index, with polls between.
template <class Body>
void run_by_flops(const KernelCall& k, std::int64_t n, double flops_each, const Body& body) {
  const double each = std::max(flops_each, 1.0);
  const auto grain = std::int64_t(std::max(1.0, kGrainFlops / each));
  keep_shares(k.threads, k.poll, n, grain, std::max(grain, std::int64_t(kFlopsBetweenPolls / each)),
              body);
}

}  // namespace siliconprof::cpu
