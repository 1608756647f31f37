#include "siliconprof/kernels/cpu/gemm_kernels.h"

#include <utility>

#include "siliconprof/kernels/cpu/begin_generic.inc"

static constexpr bool kInPairs = false;
// None are asked for: a panel stays in the first cache.
static constexpr int kTermsNear = 0;
static constexpr bool kFetchesTiles = false;
static constexpr GemmWalk kWalk{.depth = 512,
                                .tiles_in_turn = 16,
                                .packed_tiles = 8,
                                .tiles_of_rows = 1,
                                .packs_rows = false,
                                .packs_columns = false};

#include "siliconprof/kernels/cpu/gemm_loops.inc"

constinit const GemmKernelSet kGemmKernels{"generic",
                                           tile_kernels<Float32Lanes, 14, 6, 3>(),
                                           tile_kernels<Float64Lanes, 14, 6, 3>(),
                                           {},
                                           Float32Lanes::fence};

#include "siliconprof/kernels/cpu/end_generic.inc"
