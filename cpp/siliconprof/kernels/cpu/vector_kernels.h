#pragma once

// Loops over contiguous memory on one thread, built once per instruction set and chosen at run
// time. The 16-bit formats are computed in float32 and rounded once, to nearest even.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "siliconprof/core/dtype.h"
#include "siliconprof/kernels/cpu/softmax_kernels.h"

namespace siliconprof::cpu {

/// Columns that column_sums takes at most: their sums stay in the first cache.
inline constexpr std::int64_t kColumnsAtOnce = 2048;
/// Threads share columns in whole groups of so many: column_sums keeps sums of some at once, and
/// adds a column's terms in another order where fewer are left.
inline constexpr std::int64_t kColumnGroup = 128;

/// out[i] = f(x[i]).
using MapOne = void (*)(const void* x, const double* parameters, void* out, std::int64_t n,
                        bool stream);
/// out[i] = f(x[i], y[i]).
using MapTwo = void (*)(const void* x, const void* y, const double* parameters, void* out,
                        std::int64_t n, bool stream);
/// Σ f(x[i], y[i]), each lane in the precision of its elements: for some ten thousand at a time.
using SumTwo = double (*)(const void* x, const void* y, std::int64_t n);

/// y = f(x) and dx = dy·f'(x). Parameters in the order of the op's attributes.
struct ActivationLoops {
  MapOne forward;
  MapTwo backward;
};

/// The loops of element_functions.inc.
struct FunctionKernels {
  ActivationLoops relu;
  ActivationLoops leaky_relu;
  ActivationLoops selu;
  ActivationLoops sigmoid;
  ActivationLoops softplus;
  ActivationLoops gelu_erf;
  ActivationLoops gelu_tanh;
  ActivationLoops silu;
  SumTwo prelu_weight;
  SumTwo bce;
  MapTwo bce_backward;
  MapOne bce_target_backward;
};

/// Element loops of one dtype. n counts elements; operands don't overlap. With `stream`, stores
/// bypass the caches: right for outputs that won't fit there.
struct ElementKernels {
  void (*add)(const void* a, const void* b, void* out, std::int64_t n, bool stream);
  void (*scale)(const void* a, double alpha, void* out, std::int64_t n, bool stream);
  /// a + alpha·b
  void (*triad)(const void* a, const void* b, double alpha, void* out, std::int64_t n, bool stream);
  /// totals[r] = Σ of row r; rows of n elements, one after the other. Blocks of up to 264 terms are
  /// summed in the dtype's arithmetic and added up in float64, here and in column_sums. is_far:
  /// from beyond the second cache, which decides how it is read, not what comes out.
  void (*row_sums)(const void* in, std::int64_t rows, std::int64_t n, bool is_far, double* totals);
  /// totals[j] = Σ_r in[r * stride + j] for j < n; n at most kColumnsAtOnce. With `ask`
  /// the next rows are asked for.
  void (*column_sums)(const void* in, std::int64_t stride, std::int64_t rows, std::int64_t n,
                      bool ask, double* totals);
  SoftmaxKernels softmax;
  FunctionKernels functions;
};

/// Loops between a 16-bit format and float32.
struct HalfKernels {
  void (*widen)(const void* in, float* out, std::int64_t n);
  void (*narrow)(const float* in, void* out, std::int64_t n);
  /// y[i] = row i of A · x; A (rows, n), rows `stride` elements apart.
  void (*rows_times_vector)(const void* a, std::int64_t stride, const float* x, float* y,
                            std::int64_t rows, std::int64_t n);
  /// y[j] += Σ x[i]·A[i, j]; A (rows, n).
  void (*add_weighted_rows)(const void* a, std::int64_t stride, const float* x, float* y,
                            std::int64_t rows, std::int64_t n);
};

struct VectorKernels {
  std::string_view instruction_set;  // "avx512", "avx2", "generic"
  ElementKernels float64;
  ElementKernels float32;
  ElementKernels float16;
  ElementKernels bfloat16;
  HalfKernels float16_products;
  HalfKernels bfloat16_products;
  void (*copy)(const void* in, void* out, std::int64_t bytes, bool stream);
  /// The same for one of several calls: `fence` after the last lets other threads see them.
  void (*copy_unfenced)(const void* in, void* out, std::int64_t bytes, bool stream);
  /// The 8 bytes of the pattern, again and again: of elements that are 1, 2, 4 or 8 bytes alike.
  void (*fill_unfenced)(std::uint64_t pattern, void* out, std::int64_t bytes, bool stream);
  /// Numbers `first` to `first` + n of the sequence that fill_uniform gives for the seed, none
  /// above `most`.
  void (*uniform)(std::uint64_t seed, std::int64_t first, float most, float* out, std::int64_t n);
  void (*fence)();
  double (*sum)(const double* in, std::int64_t n);

  /// Throws DtypeError for tf32.
  const ElementKernels& elements(Dtype dtype) const;
  /// Throws DtypeError unless the dtype has 16 bits.
  const HalfKernels& products(Dtype dtype) const;
};

namespace generic {
extern const VectorKernels kVectorKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const VectorKernels kVectorKernels;
}
namespace avx512 {
extern const VectorKernels kVectorKernels;
}
#endif

/// Those that this CPU can run, best first.
std::span<const VectorKernels* const> runnable_vector_kernels();
/// The best of them.
const VectorKernels& vector_kernels();

}  // namespace siliconprof::cpu
