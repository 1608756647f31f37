#pragma once

// Small tiles of a matrix product, summed in registers, on one thread: what products, convolutions
// and their gradients are made of. Built for each instruction set.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace siliconprof::cpu {

/// A stretch of the sum: k terms, from a + a_at and b + b_at on.
struct GemmRun {
  std::int64_t a_at;
  std::int64_t b_at;
  std::int64_t k;
};

/// C (rows, columns) = Σ over runs of A·B, added to C with accumulate, plus bias (columns). Rows
/// of B are read to the end of its vectors, whatever lies past the columns; those of A and C
/// aren't.
template <class T>
struct GemmTile {
  const T* a;
  std::int64_t a_step;  // A(r, k) at a[r·a_step + k] by rows, at a[k·a_step + r] by columns
  const T* b;
  std::int64_t b_step;  // B(k, j) at b[k·b_step + j]
  const GemmRun* runs;
  std::int64_t run_count;
  T* c;
  std::int64_t c_step;  // C(r, j) at c[r·c_step + j]
  std::int64_t columns;
  const T* bias = nullptr;
  bool accumulate = false;
  bool stream = false;  // past the caches, where c and c_step are multiples of a line; fence after
};

inline constexpr std::size_t kMostTileRows = 14;
inline constexpr std::size_t kMostTileVectors = 2;

/// For 1, 2, ... rows; null past the most that this instruction set has registers for.
template <class T>
using GemmTiles = std::array<void (*)(const GemmTile<T>&), kMostTileRows>;

template <class T>
struct GemmKernels {
  std::int64_t rows;                                   // most of a tile
  std::int64_t lanes;                                  // columns of a vector
  std::array<GemmTiles<T>, kMostTileVectors> by_rows;  // of 1 vector of columns, of 2
  std::array<GemmTiles<T>, kMostTileVectors> by_columns;
  /// Tiles of 8 columns with B in pairs of terms: for run after run, B(k, j), B(k + 1, j) for
  /// j = 0, 1, ..., 7, with 0 in place of a term past the run's end; b_step and the runs' b_at are
  /// not looked at. Null where two terms don't fit in a vector.
  GemmTiles<T> eight_by_pairs;

  std::int64_t width() const { return std::int64_t(kMostTileVectors) * lanes; }
};

struct GemmKernelSet {
  std::string_view instruction_set;
  GemmKernels<float> float32;
  GemmKernels<double> float64;
  void (*fence)();  // after stores past the caches

  template <class T>
  const GemmKernels<T>& of() const {
    if constexpr (sizeof(T) == 8) {
      return float64;
    } else {
      return float32;
    }
  }
};

/// Those that this CPU can run, best first.
std::span<const GemmKernelSet* const> runnable_gemm_kernels();
/// The best of them.
const GemmKernelSet& gemm_kernels();

namespace generic {
extern const GemmKernelSet kGemmKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const GemmKernelSet kGemmKernels;
}
namespace avx512 {
extern const GemmKernelSet kGemmKernels;
}
#endif

}  // namespace siliconprof::cpu
