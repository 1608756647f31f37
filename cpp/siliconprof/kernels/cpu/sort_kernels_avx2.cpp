#include "siliconprof/kernels/cpu/sort_kernels.h"

#if defined(__x86_64__)

#include "siliconprof/kernels/cpu/begin_avx2.inc"

static constexpr Index kKeyLanes = 4;
#include "siliconprof/kernels/cpu/sort_lanes.inc"
#include "siliconprof/kernels/cpu/sort_loops.inc"

constinit const SortKernelTable kSortKernels = make_sort_kernels("avx2");

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
