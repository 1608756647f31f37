#pragma once

// The loops of rotary positions and of the silu gate on one thread, built once per instruction set
// and chosen at run time; as in vector_kernels.h. With `stream`, stores bypass the caches: right
// for outputs that are no inputs and won't fit.

#include <cstdint>
#include <span>

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

struct LlamaLoops {
  /// Rows of two halves, all turned by the same angles; cosines and sines of `half` angles, as
  /// statistics: double for float64, else float.
  void (*turn)(const void* x, const void* cosines, const void* sines, void* y, std::int64_t rows,
               std::int64_t half, bool stream);
  void (*gate)(const void* gate, const void* up, void* y, std::int64_t n, bool stream);
  /// Outputs may be inputs.
  void (*gate_backward)(const void* gate, const void* up, const void* dy, void* dgate, void* dup,
                        std::int64_t n, bool stream);
};

using LlamaKernels = Build<LlamaLoops>;

namespace generic {
extern const LlamaKernels kLlamaKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const LlamaKernels kLlamaKernels;
}
namespace avx512 {
extern const LlamaKernels kLlamaKernels;
}
#endif

/// Those that this CPU can run, best first.
std::span<const LlamaKernels* const> runnable_llama_kernels();
/// The best of them.
const LlamaKernels& llama_kernels();

}  // namespace siliconprof::cpu
