#pragma once

// Loops of pooling on one thread, over the channels of one result: built for each instruction set.

#include <cstdint>
#include <span>

#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

/// Elements are of the dtype that the loops are chosen for; pixels lie at in + offsets[i].
struct PoolLoops {
  /// The first of the largest of `count` pixels (1 or more), a NaN above all, and first +
  /// positions[i], which ascend.
  void (*largest)(const void* in, const std::int64_t* offsets, const std::int32_t* positions,
                  std::int64_t count, std::int32_t first, void* out, std::int32_t* position,
                  std::int64_t channels);
  /// Σ of `count` pixels (0 or more), times `scale`.
  void (*scaled_sum)(const void* in, const std::int64_t* offsets, std::int64_t count, double scale,
                     void* out, std::int64_t channels);
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
