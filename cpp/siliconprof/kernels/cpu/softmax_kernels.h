#pragma once

// Loops of softmax on one thread, part of the vector kernels: operands as there. Exponentials are
// within 2 units in the last place; a row with a NaN, with +inf, or of -inf alone comes out NaN.

#include <cstdint>

namespace siliconprof::cpu {

/// Longest row of `rows`, most columns of `columns` and `gradient_columns`: what they keep beside
/// the operands stays in the first caches.
inline constexpr std::int64_t kSoftmaxRow = 4096;
inline constexpr std::int64_t kSoftmaxColumns = 512;

struct SoftmaxKernels {
  /// Rows of n elements, one after the other; one exponential an element.
  void (*rows)(const void* in, void* out, std::int64_t rows, std::int64_t n, bool stream);
  /// A number that no element exceeds by over 4 (at least the lowest finite one) and
  /// Σ exp(in[i] - reference), in one pass; parts of a row can be combined.
  void (*sum)(const void* in, std::int64_t n, double* reference, double* total);
  /// out[i] = exp(in[i] - reference) / total
  void (*write)(const void* in, void* out, std::int64_t n, double reference, double total,
                bool stream);
  /// Softmax of each of n columns; rows `stride` elements apart.
  void (*columns)(const void* in, void* out, std::int64_t stride, std::int64_t rows, std::int64_t n,
                  bool stream);
  double (*dot)(const void* a, const void* b, std::int64_t n);
  /// dx[i] = y[i]·(dy[i] - dot)
  void (*gradient)(const void* y, const void* dy, double dot, void* dx, std::int64_t n,
                   bool stream);
  /// The same for rows of n elements, with dot products of their own.
  void (*gradient_rows)(const void* y, const void* dy, void* dx, std::int64_t rows, std::int64_t n,
                        bool stream);
  /// The same by columns, with dot products of its own.
  void (*gradient_columns)(const void* y, const void* dy, void* dx, std::int64_t stride,
                           std::int64_t rows, std::int64_t n, bool stream);
};

}  // namespace siliconprof::cpu
