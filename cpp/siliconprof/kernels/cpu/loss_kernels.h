#pragma once

// Loops of losses over class scores on one thread, built once per instruction set. 16-bit formats
// are computed in float32.

#include <cstdint>
#include <span>

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

/// Of the terms exp(scale·x - reference).
struct ExpSum {
  double reference;
  double total;
};

struct LossLoops {
  /// A number that no scale·x exceeds by over 4 (at least the lowest finite one), the largest where
  /// its term is half of the sum or more, and the sum; scale > 0. Memory is read once. A NaN or
  /// +inf makes the sum NaN.
  ExpSum (*exp_sum)(const void* x, std::int64_t n, double scale);
  /// out = factor·exp(scale·x - logarithm); may replace x. With `stream`, stores bypass the caches.
  void (*shares)(const void* x, std::int64_t n, double scale, double logarithm, double factor,
                 void* out, bool stream);
};

using LossKernels = Build<LossLoops>;

namespace generic {
extern const LossKernels kLossKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const LossKernels kLossKernels;
}
namespace avx512 {
extern const LossKernels kLossKernels;
}
#endif

/// Those that this CPU can run, best first.
std::span<const LossKernels* const> runnable_loss_kernels();
/// The best of them for a dtype. Throws DtypeError for tf32.
inline const LossLoops& loss_loops(Dtype dtype) {
  return runnable_loss_kernels().front()->of(dtype);
}

}  // namespace siliconprof::cpu
