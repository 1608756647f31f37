#pragma once

// Loops of the ops on indices and of data movement on one thread, built once per instruction set
// and chosen at run time. The 16-bit formats are computed in float32.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "siliconprof/core/dtype.h"

namespace siliconprof::cpu {

/// Columns that ArgmaxKernels::columns takes at most: what it knows of them stays in the first
/// cache, beside the rows that it reads and those that come next.
inline constexpr std::int64_t kArgmaxColumns = 1024;
/// Rows that it takes at most: float32 holds the number of each.
inline constexpr std::int64_t kArgmaxRows = std::int64_t{1} << 24;

/// Bytes to write; zeros where `from` is null.
struct Run {
  const void* from;
  std::int64_t bytes;
};

/// The first of the largest, a NaN being larger than all.
struct ArgmaxKernels {
  /// Of n > 0 elements one after the other.
  void (*row)(const void* x, std::int64_t n, double* largest, std::int64_t* where);
  /// Where it stands in each of `rows` rows of n > 0 elements.
  void (*rows)(const void* x, std::int64_t n, std::int64_t rows, std::int32_t* where);
  /// Of each of n columns, `rows` > 0 rows that lie `stride` elements apart.
  void (*columns)(const void* x, std::int64_t stride, std::int64_t rows, std::int64_t n,
                  double* largest, std::int32_t* where);
};

/// Reductions of rows of updates into float32 (float64 for float64), in order. For maxima the
/// table starts at -inf; a NaN that is there stays.
struct ScatterKernels {
  /// table[index[i], :] += updates[i, :].
  void (*add)(const void* updates, const std::int32_t* index, std::int64_t count,
              std::int64_t columns, void* table);
  void (*largest)(const void* updates, const std::int32_t* index, std::int64_t count,
                  std::int64_t columns, void* table);
  /// row[:] += updates[list[i], :].
  void (*add_listed)(const void* updates, const std::int64_t* list, std::int64_t count,
                     std::int64_t columns, void* row);
  void (*largest_listed)(const void* updates, const std::int64_t* list, std::int64_t count,
                         std::int64_t columns, void* row);
  /// out = slope where update equals or exceeds y (or is a NaN), and slope becomes 0 there; else
  /// out = 0. slope in float32 (float64).
  void (*take_slope)(const void* update, const void* y, void* slope, void* out,
                     std::int64_t columns);
};

/// y = x in another format.
using Cast = void (*)(const void* x, void* y, std::int64_t n, bool stream);
/// The place of a format in a table of formats: float64, float32, float16, bfloat16.
inline std::size_t format_index(Dtype dtype) {
  if (dtype == Dtype::Float64) return 0;
  if (dtype == Dtype::Float32) return 1;
  return dtype == Dtype::Float16 ? 2 : 3;
}
template <class T>
using PerFormat = std::array<T, 4>;

struct MovementKernels {
  std::string_view instruction_set;  // "avx512", "avx2", "generic"
  /// The largest of n indices, of which negative ones are larger than all others; 0 of none.
  std::uint32_t (*largest_index)(const std::int32_t* index, std::int64_t n);
  /// Writes the runs one after the other. With `stream`, past the caches and not fenced.
  void (*write_runs)(const Run* runs, std::int64_t n, void* out, bool stream);
  /// out[i, :] = x[index[i], :], rows of a multiple of 64 bytes. With `stream`, for an `out` that
  /// is aligned alike, past the caches and not fenced.
  void (*gather_lines)(const void* x, const std::int32_t* index, std::int64_t count,
                       std::int64_t row_bytes, void* out, bool stream);
  /// Makes what was written past the caches visible in order.
  void (*fence)();
  /// out[j, i] = in[i, j]; in (m, n) with rows in_stride elements apart, out (n, m) with rows
  /// out_stride apart; elements of 2, 4, 8 and 16 bytes. With `stream`, whole lines of out are
  /// written past the caches and not fenced.
  using Transpose = void (*)(const void* in, std::int64_t in_stride, void* out,
                             std::int64_t out_stride, std::int64_t m, std::int64_t n, bool stream);
  Transpose transpose2;
  Transpose transpose4;
  Transpose transpose8;
  Transpose transpose16;
  PerFormat<ArgmaxKernels> argmax;
  PerFormat<ScatterKernels> scatter;
  PerFormat<PerFormat<Cast>> cast;  // [from][to]
};

namespace generic {
extern const MovementKernels kMovementKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const MovementKernels kMovementKernels;
}
namespace avx512 {
extern const MovementKernels kMovementKernels;
}
#endif

/// Those that this CPU can run, best first.
std::span<const MovementKernels* const> runnable_movement_kernels();
/// The best of them.
const MovementKernels& movement_kernels();

}  // namespace siliconprof::cpu
