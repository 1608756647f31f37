#pragma once

// Loops of normalisations on one thread, built once per instruction set. Elements are of the
// table's dtype; "kept" numbers and sums are float64 for it, else float32. 16-bit formats are
// computed in float32 and rounded once. With `stream`, stores bypass the caches.

#include <cstdint>
#include <span>

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

/// Rows that column_moments and column_slope_sums take at most.
inline constexpr std::int64_t kNormRows = 128;

/// Rows of n elements, `stride` elements apart; their kept numbers are kept_stride apart.
struct NormRows {
  const void* x;
  const void* weight;  // n elements
  const void* bias;    // n elements
  void* y;
  void* mean;  // kept
  void* rstd;  // kept
  std::int64_t rows;
  std::int64_t n;
  std::int64_t stride;
  std::int64_t kept_stride;
  double epsilon;
  bool stream;
};

/// The gradient of such rows. dweight and dbias, n sums each, are added to.
struct NormSlopes {
  const void* x;
  const void* weight;
  const void* mean;
  const void* rstd;
  const void* dy;
  void* dx;
  void* dweight;
  void* dbias;
  std::int64_t rows;
  std::int64_t n;
  std::int64_t stride;
  std::int64_t kept_stride;
  bool stream;
  bool fetch_next;  // the next rows are asked for while these are written
};

struct NormLoops {
  void (*layer_rows)(const NormRows&);
  void (*layer_slopes)(const NormSlopes&);
  /// With mean 0 and no bias: those members aren't used.
  void (*rms_rows)(const NormRows&);
  void (*rms_slopes)(const NormSlopes&);

  // A run of n elements.
  /// The mean, and the sum of squared deviations from it.
  void (*moments)(const void* x, std::int64_t n, double* mean, double* squares);
  double (*square_sum)(const void* x, std::int64_t n);
  /// Σ dy and Σ dy·(x - mean).
  void (*slope_sums)(const void* x, const void* dy, std::int64_t n, double mean, double* sum,
                     double* dot);
  // The centre, a kept number, is taken off x before anything else, which is exact near it. Many
  // short runs share one fence.
  /// y = scale·(x - centre) + shift.
  void (*affine)(const void* x, double centre, double scale, double shift, void* y, std::int64_t n,
                 bool stream);
  /// dx = a·(x - centre) + b·dy + shift.
  void (*blend)(const void* x, const void* dy, double centre, double a, double b, double shift,
                void* dx, std::int64_t n, bool stream);

  /// Orders streamed stores of affine and blend before what follows.
  void (*fence)();

  // Columns of `rows` rows of n elements, one after the other; numbers of columns are kept ones.
  /// A number near the mean; Σ of what each row is past it, and Σ of the squares of that.
  void (*column_moments)(const void* x, std::int64_t stride, std::int64_t rows, std::int64_t n,
                         void* near, void* past, void* squares);
  void (*column_slope_sums)(const void* x, const void* dy, std::int64_t stride, std::int64_t rows,
                            std::int64_t n, const void* mean, void* sum, void* dot);
  /// As affine and blend; where `centre` is null, 0 is the centre of all.
  void (*column_affine)(const void* x, const void* centre, const void* scale, const void* shift,
                        void* y, std::int64_t rows, std::int64_t n, bool stream);
  void (*column_blend)(const void* x, const void* dy, const void* centre, const void* a,
                       const void* b, const void* shift, void* dx, std::int64_t rows,
                       std::int64_t n, bool stream);
  /// totals[j] += count·values[j]
  void (*add_weighted)(const void* values, double count, double* totals, std::int64_t n);
  /// totals[j] += Σ of squared deviations from means[j], of what column_moments found in `count`
  /// rows.
  void (*add_squares)(const void* near, const void* past, const void* squares, const double* means,
                      double count, double* totals, std::int64_t n);
};

using NormKernels = Build<NormLoops>;

namespace generic {
extern const NormKernels kNormKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const NormKernels kNormKernels;
}
namespace avx512 {
extern const NormKernels kNormKernels;
}
#endif

/// Those that this CPU can run, best first.
std::span<const NormKernels* const> runnable_norm_kernels();
/// The best of them for a dtype. Throws DtypeError for tf32.
inline const NormLoops& norm_loops(Dtype dtype) {
  return runnable_norm_kernels().front()->of(dtype);
}

}  // namespace siliconprof::cpu
