#include "siliconprof/kernels/cpu/gemm_kernels.h"

#if defined(__x86_64__)

#include <utility>

#include "siliconprof/kernels/cpu/begin_avx2.inc"

// Terms of rows of A. Beside a neighbour on the same core each instruction that is no arithmetic
// counts: convolutions take up to 14 % less than term by term.
static constexpr bool kInPairs = true;
// None are asked for: a panel stays in the first cache.
static constexpr int kTermsNear = 0;
static constexpr bool kFetchesTiles = false;
static constexpr GemmWalk kWalk{.depth = 512,
                                .tiles_in_turn = 16,
                                .packed_tiles = 16,
                                .tiles_of_rows = 2,
                                .packs_rows = true,
                                .packs_columns = true};

#include "siliconprof/kernels/cpu/gemm_loops.inc"
#include "siliconprof/kernels/cpu/gemm_steps_loops.inc"

constinit const GemmKernelSet kGemmKernels{"avx2", tile_kernels<Float32Lanes, 14, 6, 3>(),
                                           tile_kernels<Float64Lanes, 14, 6, 3>(),
                                           step_tiles<Float32Lanes, 10>(), Float32Lanes::fence};

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
