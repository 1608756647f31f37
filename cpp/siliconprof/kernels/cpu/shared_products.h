#pragma once

// A library's products, each on one thread, shared among ours. With threads of its own a library
// waits for work on the cores that the next kernel needs, and kernels' threads on those that it
// needs: beside OpenBLAS's, on 16 cores, a ReLU after a product took 5 ms instead of 0.05, and the
// product after it 8 ms instead of 2.3.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/product_functions.h"

namespace siliconprof::cpu {

// Rows or columns: whole tiles of every library.
inline constexpr std::int64_t kSharedUnit = 16;

/// How threads share the results of a product: each copies what it multiplies.
inline GridSides shared_sides(std::int64_t m, std::int64_t k, std::int64_t n, int threads) {
  constexpr double kUnitsOfCopying = 0.75;  // that others meet in the time of copying one
  const GridSides units{largest_share(m, kSharedUnit), largest_share(n, kSharedUnit)};
  const double flops = 2.0 * double(m) * double(paced_terms(k)) * double(n);
  const std::int64_t most =
      std::clamp(std::int64_t(flops / kGrainFlops), std::int64_t{1}, std::int64_t{threads});
  return cheapest_sides(most, units, [&units](const GridSides& some) {
    const auto rows = double(largest_share(units.rows, some.rows));
    const auto columns = double(largest_share(units.columns, some.columns));
    return rows * columns + kUnitsOfCopying * (rows + columns);
  });
}

/// Threads share a grid of rows by columns.
template <class T, class Out>
void share_gemm(void (*gemm)(const GemmCall<T, Out>&), const GemmCall<T, Out>& all, int threads) {
  const GridSides units{largest_share(all.m, kSharedUnit), largest_share(all.n, kSharedUnit)};
  const GridSides sides = shared_sides(all.m, all.k, all.n, threads);
  const auto at = [](std::int64_t i, std::int64_t parts, std::int64_t of, std::int64_t size) {
    return std::min(size, of * i / parts * kSharedUnit);
  };
  parallel_shares(threads, sides.rows * sides.columns, 1,
                  [&](std::int64_t begin, std::int64_t end, int) {
                    for (std::int64_t cell = begin; cell < end; ++cell) {
                      const std::int64_t i = cell / sides.columns;
                      const std::int64_t j = cell % sides.columns;
                      const std::int64_t row = at(i, sides.rows, units.rows, all.m);
                      const std::int64_t column = at(j, sides.columns, units.columns, all.n);
                      GemmCall<T, Out> piece = all;
                      piece.m = at(i + 1, sides.rows, units.rows, all.m) - row;
                      piece.n = at(j + 1, sides.columns, units.columns, all.n) - column;
                      piece.a += row * (all.transpose_a ? 1 : all.lda);
                      piece.b += column * (all.transpose_b ? all.ldb : 1);
                      piece.c += row * all.ldc + column;
                      gemm(piece);
                    }
                  });
}

/// Threads share the results, or where these are few the terms: sums of their own, added in order.
template <class T>
void share_gemv(void (*gemv)(const GemvCall<T>&), const GemvCall<T>& all, int threads) {
  // A thread's share is worth its start from this many elements of A on.
  constexpr std::int64_t kGrainElements = 32768;
  // Of a thread: whole lines, and of columns so many that memory is read ahead.
  const std::int64_t least_results = all.transpose ? 1024 : 16;
  const std::int64_t results = all.transpose ? all.n : all.m;
  const std::int64_t terms = all.transpose ? all.m : all.n;
  const auto piece = [&all](std::int64_t result, std::int64_t results_of, std::int64_t term,
                            std::int64_t terms_of, T* y) {
    GemvCall<T> share = all;
    share.m = all.transpose ? terms_of : results_of;
    share.n = all.transpose ? results_of : terms_of;
    share.a += all.transpose ? term * all.lda + result : result * all.lda + term;
    share.x += term;
    share.y = y;
    return share;
  };
  const bool is_small = results * terms < 2 * kGrainElements;
  if (threads == 1 || is_small || results >= threads * least_results) {
    const std::int64_t grain =
        std::max(least_results, kGrainElements / std::max<std::int64_t>(terms, 1));
    parallel_shares(threads, results, grain, [&](std::int64_t begin, std::int64_t end, int) {
      gemv(piece(begin, end - begin, 0, terms, all.y + begin));
    });
    return;
  }
  const std::int64_t grain_terms = std::max<std::int64_t>(1, kGrainElements / results);
  const std::int64_t parts =
      std::clamp<std::int64_t>(terms / grain_terms, 1, std::int64_t{threads});
  std::vector<T> sums(static_cast<std::size_t>(parts * results));
  parallel_shares(threads, parts, 1, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t part = begin; part < end; ++part) {
      const std::int64_t term = terms * part / parts;
      GemvCall<T> share =
          piece(0, results, term, terms * (part + 1) / parts - term, sums.data() + part * results);
      share.accumulate = false;
      gemv(share);
    }
  });
  for (std::int64_t i = 0; i < results; ++i) {
    T sum = all.accumulate ? all.y[i] : T(0);
    for (std::int64_t part = 0; part < parts; ++part) sum += sums[std::size_t(part * results + i)];
    all.y[i] = sum;
  }
}

}  // namespace siliconprof::cpu
