#pragma once

// Loops of pooling on one thread, over a row of results: built for each instruction set.

#include <cstdint>
#include <span>

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

/// Places [first, last) of an axis: those under a window, or the windows over one.
struct PoolRange {
  std::int64_t first;
  std::int64_t last;
};

/// A row of results, and where each one's sources lie in a plane: at `rows` of `columns[i]`.
struct PoolRow {
  PoolRange rows;
  const PoolRange* columns;
  std::int64_t results;
  std::int64_t line;        // sources between two rows of the plane
  std::int64_t rows_ahead;  // of the plane, which the next row of results will need first
  std::int64_t channels;
};

/// Elements are of the dtype that the loops are chosen for, channels side by side.
struct PoolLoops {
  /// The first of the largest sources (1 or more), a NaN above all, and its place in the plane.
  void (*largest)(const void* plane, const PoolRow& row, void* out, std::int32_t* place,
                  bool stream);
  /// Σ of the sources (0 or more), times `scale`.
  void (*scaled_sum)(const void* plane, const PoolRow& row, double scale, void* out);
  /// Σ of those of the sources dy whose `place` is the result's own: `first`, first + 1, ...
  void (*sum_where)(const std::int32_t* place, const void* dy, const PoolRow& row,
                    std::int32_t first, void* out, bool stream);
  /// True when place[i], of results and channels, is among the result's sources everywhere.
  bool (*all_among)(const std::int32_t* place, const PoolRow& row);
  /// Orders what was stored past the caches (`stream`) before what follows.
  void (*fence)();
};

using PoolKernels = Build<PoolLoops>;

/// Those that this CPU can run, best first.
std::span<const PoolKernels* const> runnable_pool_kernels();
/// The best of them.
const PoolKernels& pool_kernels();

namespace generic {
extern const PoolKernels kPoolKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const PoolKernels kPoolKernels;
}
namespace avx512 {
extern const PoolKernels kPoolKernels;
}
#endif

}  // namespace siliconprof::cpu
