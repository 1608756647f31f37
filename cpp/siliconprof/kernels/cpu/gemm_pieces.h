#pragma once

// How kernels that compute share their work: among threads, and between polls.

#include <algorithm>
#include <cmath>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/turns.h"

namespace siliconprof::cpu {

// 50 ms between polls on a core with 128-bit vectors.
inline constexpr double kFlopsBetweenPolls = 1e9;
// One thread alone below this; starting a team costs as much.
inline constexpr double kGrainFlops = 5e5;
// What a core does while threads meet, some 10 us.
inline constexpr double kMeetingFlops = 1e6;

/// True where threads take the products of a batch whole: one for each thread, or so small ones
/// that to meet for each takes longer than threads with nothing to do. 12 heads of GPT-2 small, 256
/// x 64 x 256, take 16 threads of an Intel Xeon with AMX 0.2 of the time in bfloat16, 0.5 in
/// float32.
inline bool shares_whole(double flops_each, std::int64_t batch, int threads) {
  if (batch <= 1) return false;
  const double rounds = std::ceil(double(batch) / double(threads));
  return batch >= threads ||
         rounds * flops_each <= double(batch) * (flops_each / double(threads) + kMeetingFlops);
}

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

/// Of the one who has most where n are shared among so many.
inline std::int64_t largest_share(std::int64_t n, std::int64_t among) {
  return divided_up(n, among);
}

/// How a matrix of results is shared: groups of rows by groups of columns, a cell for each thread.
struct GridSides {
  std::int64_t rows;
  std::int64_t columns;
};

/// Those of at most so many cells, rows and columns whose cost(sides) is the least, of few columns
/// first.
template <class Cost>
GridSides cheapest_sides(std::int64_t most_cells, const GridSides& most, const Cost& cost) {
  GridSides best{std::min(most_cells, most.rows), 1};
  double least = cost(best);
  for (std::int64_t columns = 2; columns <= std::min(most_cells, most.columns); ++columns) {
    const GridSides sides{std::min(most_cells / columns, most.rows), columns};
    const double found = cost(sides);
    if (found >= least) continue;
    least = found;
    best = sides;
  }
  return best;
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
