#include "siliconprof/kernels/cpu/gemm_kernels.h"

#if defined(__x86_64__)

#include <utility>

#include "siliconprof/kernels/cpu/begin_avx512.inc"

static constexpr bool kInPairs = false;
// Of a panel, that are asked for into the first cache ahead of a tile: with 8 rows from the second
// one a tile takes 0.95 of the time, with 14 the same.
static constexpr int kTermsNear = 8;
// Of C, before they are written: 0.95 of the time where C is large.
static constexpr bool kFetchesTiles = true;
static constexpr GemmWalk kWalk{.depth = 1024,
                                .tiles_in_turn = 1,
                                .packed_tiles = 8,
                                .tiles_of_rows = 6,
                                .packs_rows = false,
                                .packs_columns = true};

#include "siliconprof/kernels/cpu/gemm_loops.inc"
#include "siliconprof/kernels/cpu/gemm_pairs_loops.inc"

constinit const GemmKernelSet kGemmKernels{
    "avx512", tile_kernels<Float32Lanes, 14, 14, 6>(), tile_kernels<Float64Lanes, 14, 14, 6>(),
    pair_tiles(std::make_integer_sequence<int, 14>()), Float32Lanes::fence};

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
