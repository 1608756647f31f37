#pragma once

// The loops of optimizers, loss scaling and dropout on one thread, built once per instruction set
// and chosen at run time; as in vector_kernels.h, but that outputs may be the inputs themselves.
// With `stream`, stores bypass the caches: right for outputs that are no inputs and won't fit.

#include <cstdint>
#include <span>

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

/// Moments and velocities are statistics: float32, float64 for float64.
struct AdamWOperands {
  const void* parameter;
  const void* gradient;
  const void* m;
  const void* v;
  void* new_parameter;
  void* new_m;
  void* new_v;
};

struct SgdOperands {
  const void* parameter;
  const void* gradient;
  const void* velocity;
  void* new_parameter;
  void* new_velocity;
};

/// How an optimizer's step writes; the last two bypass caches.
enum class Stores : std::uint8_t {
  Cached,
  Asked,          // in place: operands are asked for ahead, what is written as this core's own
  ParameterPast,  // in place: the parameter alone bypasses the caches
  Past,           // all outputs do, as with `stream`
};

struct TrainingLoops {
  /// Attributes in the order of the op's.
  void (*adamw)(const AdamWOperands& operands, const double* attributes, std::int64_t n,
                Stores stores);
  void (*sgd)(const SgdOperands& operands, const double* attributes, std::int64_t n, Stores stores);
  /// out[i] = g[i]·inverse; true when all g are finite.
  bool (*unscale)(const void* g, double inverse, void* out, std::int64_t n, bool stream);
  /// The elements are those from `first` on of a call with these attributes, in the op's order.
  void (*dropout)(const void* x, const double* attributes, std::int64_t first, void* out,
                  std::int64_t n, bool stream);
};

using TrainingKernels = Build<TrainingLoops>;

namespace generic {
extern const TrainingKernels kTrainingKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const TrainingKernels kTrainingKernels;
}
namespace avx512 {
extern const TrainingKernels kTrainingKernels;
}
#endif

/// Those that this CPU can run, best first.
std::span<const TrainingKernels* const> runnable_training_kernels();
/// The best of them.
const TrainingKernels& training_kernels();

}  // namespace siliconprof::cpu
