#pragma once

// Loops on one thread over rows that share something: a bias, a mask. Built once per instruction
// set. 16-bit formats are computed in float32 and rounded once. Outputs may be the very memory of
// an input of their size. With `stream`, stores bypass the caches.

#include <cstdint>
#include <span>

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

/// y = f(x + b) for rows of n elements, b n elements.
using BiasMap = void (*)(const void* x, const void* b, void* y, std::int64_t rows, std::int64_t n,
                         bool stream);
/// dx = dy·f'(x + b).
using BiasSlope = void (*)(const void* x, const void* b, const void* dy, void* dx,
                           std::int64_t rows, std::int64_t n, bool stream);

struct RowLoops {
  BiasMap bias;
  BiasMap bias_relu;
  BiasMap bias_gelu_erf;
  BiasMap bias_gelu_tanh;
  BiasSlope bias_relu_backward;
  BiasSlope bias_gelu_erf_backward;
  BiasSlope bias_gelu_tanh_backward;
  /// Rows of n elements from `first` on, of which row r shows its first r + shown; the others
  /// become `hidden`. What is shown keeps its bits, and stays unwritten where y is x.
  void (*mask)(const void* x, double hidden, void* y, std::int64_t first, std::int64_t rows,
               std::int64_t n, std::int64_t shown, bool stream);
};

using RowKernels = Build<RowLoops>;

namespace generic {
extern const RowKernels kRowKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const RowKernels kRowKernels;
}
namespace avx512 {
extern const RowKernels kRowKernels;
}
#endif

/// Those that this CPU can run, best first.
std::span<const RowKernels* const> runnable_row_kernels();
/// The best of them for a dtype. Throws DtypeError for tf32.
inline const RowLoops& row_loops(Dtype dtype) { return runnable_row_kernels().front()->of(dtype); }

}  // namespace siliconprof::cpu
